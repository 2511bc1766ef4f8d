// Sums.cpp - blocks of sums in vector registers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/dot/Sums.h"

using namespace mlir;

namespace nereid::cpu {

SumBlocks::SumBlocks(Emitter &emitter, const DotShape &shape,
                     const DotArguments &in)
    : emitter(emitter), b(emitter.builder), shape(shape), in(in),
      sum(convertElementType(shape.sum, emitter.context())),
      align(sum->getScalarSizeInBits() / 8) {
  vector = shape.block.lanes > 1
               ? llvm::FixedVectorType::get(sum, shape.block.lanes)
               : sum;
}

/// The place in scratch of vector `number` of a block that begins at `first`.
llvm::Value *SumBlocks::placeOf(llvm::Value *first, size_t number) {
  auto [row, v] = std::div(int64_t(number), shape.block.vectors);
  return b.CreateGEP(sum, first,
                     b.getInt64(row * shape.columns + v * shape.block.lanes));
}

SmallVector<llvm::Value *> SumBlocks::start(llvm::Value *first, int64_t rows) {
  SmallVector<llvm::Value *> zeros(rows * shape.block.vectors,
                                   llvm::Constant::getNullValue(vector));
  if (shape.startsAtZero)
    return zeros;
  SmallVector<llvm::Value *> sums = zeros;
  auto load = [&] {
    for (auto [number, value] : llvm::enumerate(sums))
      value = emitter.inScratch(
          b.CreateAlignedLoad(vector, placeOf(first, number), align));
  };
  if (!in.isFirst) {
    load();
    return sums;
  }
  llvm::BasicBlock *before = b.GetInsertBlock();
  llvm::Function *function = before->getParent();
  auto *loaded = llvm::BasicBlock::Create(emitter.context(), "add", function);
  auto *next = llvm::BasicBlock::Create(emitter.context(), "start", function);
  b.CreateCondBr(in.isFirst, next, loaded);
  b.SetInsertPoint(loaded);
  load();
  b.CreateBr(next);
  b.SetInsertPoint(next);
  for (auto [value, zero] : llvm::zip(sums, zeros)) {
    llvm::PHINode *phi = b.CreatePHI(vector, 2);
    phi->addIncoming(zero, before);
    phi->addIncoming(value, loaded);
    value = phi;
  }
  return sums;
}

void SumBlocks::store(ArrayRef<llvm::Value *> sums, llvm::Value *first,
                      llvm::Value *row, llvm::Value *column) {
  if (!shape.mayStore)
    return storeInScratch(sums, first);
  llvm::Value *start = b.CreateGEP(sum, writtenAt(in.written, row), column);
  for (auto [number, value] : llvm::enumerate(sums)) {
    auto [down, v] = std::div(int64_t(number), shape.block.vectors);
    llvm::Value *place = b.CreateGEP(sum, writtenAt(start, b.getInt64(down)),
                                     b.getInt64(v * shape.block.lanes));
    b.CreateAlignedStore(value, place, align);
  }
}

void SumBlocks::storeInScratch(ArrayRef<llvm::Value *> sums,
                               llvm::Value *first) {
  for (auto [number, value] : llvm::enumerate(sums))
    emitter.inScratch(
        b.CreateAlignedStore(value, placeOf(first, number), align));
}

/// The row that is `rows` rows after that of `base`, where the sums are
/// written.
llvm::Value *SumBlocks::writtenAt(llvm::Value *base, llvm::Value *rows) {
  return b.CreateGEP(b.getInt8Ty(), base, b.CreateMul(rows, in.writtenRow));
}

} // namespace nereid::cpu
