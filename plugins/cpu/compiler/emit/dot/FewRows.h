// FewRows.h - what products with a right operand that is in place share.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_DOT_FEWROWS_H
#define NEREID_CPU_COMPILER_EMIT_DOT_FEWROWS_H

#include "emit/dot/Dot.h"

namespace nereid::cpu {

/// Emits parts of a function for few rows of sums, whose right operand is read
/// once. bf16 and f16 are multiplied as f32, which is exact, and needs no
/// packing.
class FewRowsEmitter {
public:
  FewRowsEmitter(Emitter &emitter, const DotShape &shape,
                 const DotArguments &in, llvm::Value *line,
                 const InPlaceOperand &right)
      : emitter(emitter), b(emitter.builder), shape(shape), in(in), line(line),
        mostRows(right.mostRows), rowGroups(right.rowGroups),
        leftType(convertElementType(shape.factor, emitter.context())),
        rightType(emitter.memoryType(
            mlir::getElementTypeOrSelf(tt::LoadOp(right.load).getResult()))),
        sum(convertElementType(shape.sum, emitter.context())),
        lanes(std::min<int64_t>(shape.columns, emitter.options.cpu.vectorBits /
                                                   sum->getScalarSizeInBits())),
        prefetches(emitter.options.fastPaths.has(FastPath::DotPrefetch)) {
    // In elements.
    int64_t word = shape.packing.together;
    leftStep = shape.kind == DotKind::Elements ? shape.left.step : 1;
    leftLine = shape.left.line * word;
    leftIteration = shape.left.iteration * word;
    for (int64_t row = 0; in.row && row < mostRows; ++row)
      leftRows.push_back(leftRowAt(b, shape, in, in.left, i64(row)));
  }

protected:
  /// Runs what `emit` emits if more rows are needed than `above`, and no more
  /// than `most`.
  void emitFor(int64_t above, int64_t most, llvm::function_ref<void()> emit) {
    llvm::Value *isIt = b.CreateAnd(b.CreateICmpSGT(in.rows, i64(above)),
                                    b.CreateICmpSLE(in.rows, i64(most)));
    emitIf(emitter, isIt, emit);
  }

  llvm::Value *multiplyAdd(llvm::Value *x, llvm::Value *y, llvm::Value *z) {
    if (!sum->isFloatingPointTy())
      return b.CreateAdd(b.CreateMul(x, y), z);
    return emitter.options.cpu.hasFma
               ? b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()},
                                   {x, y, z})
               : b.CreateFAdd(b.CreateFMul(x, y), z);
  }

  /// Loads `count` elements of `type`, as the type of sums.
  llvm::Value *load(llvm::Value *place, llvm::Type *type, int64_t count) {
    return loadAs(b, sum, place, type, count);
  }

  /// The element of the left operand `offset` and `more` after the first of
  /// `row`.
  llvm::Value *leftAt(int64_t row, llvm::Value *offset, int64_t more) {
    llvm::Value *first = in.row ? leftRows[row] : in.left;
    more += in.row ? 0 : row * leftLine;
    return b.CreateGEP(leftType, b.CreateGEP(leftType, first, offset),
                       i64(more));
  }
  /// So many rows or columns of the right operand after `base`.
  llvm::Value *lineAt(llvm::Value *base, llvm::Value *count) {
    return b.CreateGEP(b.getInt8Ty(), base, b.CreateMul(count, line));
  }
  llvm::Type *vectorOf(llvm::Type *type) {
    return llvm::FixedVectorType::get(type, lanes);
  }
  static llvm::Align alignOf(llvm::Type *type) {
    return llvm::Align(type->getScalarSizeInBits() / 8);
  }
  llvm::Value *i64(int64_t number) { return b.getInt64(number); }
  llvm::Value *plus(llvm::Value *value, int64_t number) {
    return b.CreateAdd(value, i64(number));
  }

  Emitter &emitter;
  llvm::IRBuilder<> &b;
  const DotShape &shape;
  DotArguments in;
  llvm::Value *line;
  int64_t mostRows, rowGroups;
  llvm::Type *leftType, *rightType, *sum; // of elements
  int64_t lanes;
  bool prefetches;
  int64_t leftStep, leftLine, leftIteration;
  llvm::SmallVector<llvm::Value *> leftRows; // with in.row: where each begins
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_DOT_FEWROWS_H
