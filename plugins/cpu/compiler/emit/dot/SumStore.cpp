// SumStore.cpp - may the last product of a loop store its sums itself?
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/dot/Deferred.h"

using namespace mlir;

namespace nereid::cpu {

/// An i1: does the left operand, if it is in place, overlap the sums that would
/// be written at `first`, with rows of `rowBytes` that are `row` bytes apart,
/// which is positive?
llvm::Value *DeferredDotsEmitter::overlapsLeft(llvm::Value *first,
                                               llvm::Value *row,
                                               int64_t rowBytes) {
  const Side &left = sides[0];
  tt::DotOp dot = deferred->dots.front();
  DotShape shape = shapeOf(emitter, dot);
  auto address = [&](llvm::Value *pointer) {
    return b.CreatePtrToInt(pointer, b.getInt64Ty());
  };
  llvm::Value *last = emitter.i64(shape.rows - 1);
  llvm::Value *sums = address(first);
  llvm::Value *sumsEnd = b.CreateAdd(b.CreateAdd(sums, b.CreateMul(row, last)),
                                     emitter.i64(rowBytes));
  tt::LoadOp load = left.operand->load;
  int64_t bytes =
      Emitter::bytesOf(emitter.memoryType(getElementTypeOrSelf(load)));
  llvm::Value *reach = b.CreateMul(left.stride, last);
  llvm::Value *start = address(left.before.first);
  llvm::Value *end =
      b.CreateAdd(b.CreateAdd(start, emitter.larger(reach, emitter.i64(0))),
                  b.CreateMul(count, emitter.i64(shape.depth * bytes)));
  start = b.CreateAdd(start, emitter.smaller(reach, emitter.i64(0)));
  return b.CreateAnd(
      left.before.isInPlace,
      b.CreateAnd(b.CreateICmpULT(sums, end), b.CreateICmpULT(start, sumsEnd)));
}

/// Sets where the product after the loop writes its sums. `isLeft`: there is
/// one.
void DeferredDotsEmitter::placeSums(llvm::Value *isLeft) {
  const SumStore &store = *deferred->store;
  tt::DotOp dot = deferred->dots.front();
  DotShape shape = shapeOf(emitter, dot);
  PolynomialScope polynomials(emitter);
  int64_t bytes = Emitter::bytesOf(emitter.memoryType(store.stored.getType()));
  int64_t rowBytes = shape.columns * bytes;
  llvm::Value *first =
      b.CreateGEP(b.getInt8Ty(), emitter.scalar(store.form.pointer),
                  emitter.polynomial(store.form.base.scaled(bytes)));
  llvm::Value *row =
      emitter.polynomial(store.form.strides.front().scaled(bytes));
  llvm::Value *isStored = b.CreateAnd(isLeft, keepsResult());
  auto require = [&](llvm::Value *holds) {
    isStored = b.CreateAnd(isStored, holds);
  };
  require(emitHoldEverywhere(emitter, *store.nest, store.conditions));
  require(b.CreateICmpSGE(row, emitter.i64(rowBytes)));
  if (sides[0].operand)
    require(b.CreateNot(overlapsLeft(first, row, rowBytes)));
  // Other functions multiply with few rows.
  if (sides[1].operand)
    require(b.CreateNot(sides[1].before.isInPlace));
  emitter.storedSums[store.nest] = isStored;
  written =
      b.CreateSelect(isStored, first, sumsUnlessStored(emitter, shape, dot));
  writtenRow = b.CreateSelect(isStored, row, emitter.i64(shape.sumRowBytes()));
}

} // namespace nereid::cpu
