// RowOffsets.cpp - what products with unsigned right words have too much.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/CountedLoop.h"
#include "emit/dot/Dot.h"

using namespace mlir;

namespace nereid::cpu {

llvm::Value *rowThatIsRead(llvm::IRBuilder<> &b, const DotShape &shape,
                           const DotArguments &in, llvm::Value *row) {
  if (!shape.hasRowLimit)
    return row;
  llvm::Value *last = b.CreateBinaryIntrinsic(
      llvm::Intrinsic::smax, b.CreateSub(in.rows, b.getInt64(1)),
      b.getInt64(0));
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, row, last);
}

llvm::Value *leftRowAt(llvm::IRBuilder<> &b, const DotShape &shape,
                       const DotArguments &in, llvm::Value *base,
                       llvm::Value *rows) {
  if (in.row)
    return b.CreateGEP(b.getInt8Ty(), base,
                       b.CreateMul(rowThatIsRead(b, shape, in, rows), in.row));
  unsigned bits = shape.kind == DotKind::Words
                      ? CpuModel::kWordBits
                      : shape.sum.getIntOrFloatBitWidth();
  int64_t bytes = shape.left.line * (bits / 8);
  return b.CreateGEP(b.getInt8Ty(), base, b.CreateMul(rows, b.getInt64(bytes)));
}

llvm::Value *makeRowOffsets(Emitter &emitter, const DotShape &shape) {
  llvm::IRBuilder<> &b = emitter.builder;
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::IRBuilder<> entry(&*function->getEntryBlock().getFirstInsertionPt());
  return entry.CreateAlloca(llvm::ArrayType::get(b.getInt32Ty(), shape.rows),
                            nullptr, "offsets");
}

void emitRowOffsets(Emitter &emitter, const DotShape &shape,
                    const DotArguments &in, llvm::Value *left,
                    llvm::Value *first, int64_t rows, llvm::Value *offsets) {
  llvm::IRBuilder<> &b = emitter.builder;
  llvm::Type *word = b.getInt32Ty();
  // Words of a row that are multiplied at once; one, in all lanes, if fewer
  // are neighbours than the narrowest vector has.
  constexpr int64_t kFewest = 4;
  int64_t depth = shape.depth / infoOf(shape.product).together;
  int64_t together =
      shape.left.step == 1 ? std::min(shape.block.lanes, depth & -depth) : 1;
  bool isVector = together >= kFewest;
  if (!isVector)
    together = 1;
  unsigned lanes = isVector ? together : shape.block.lanes;
  auto *vector = llvm::FixedVectorType::get(word, lanes);
  llvm::Value *factor = b.CreateVectorSplat(lanes, b.getInt32(0x80808080));
  llvm::Align align(in.row ? shape.factorBytes() : shape.wordBytes());

  SmallVector<llvm::Value *> lines;
  SmallVector<llvm::Value *> sums(rows, llvm::Constant::getNullValue(vector));
  for (int64_t row = 0; row < rows; ++row)
    lines.push_back(
        leftRowAt(b, shape, in, left, b.CreateAdd(first, b.getInt64(row))));
  emitLoop(b, in.iterations, 1, sums, [&](llvm::Value *iteration) {
    llvm::Value *tile =
        b.CreateMul(iteration, b.getInt64(shape.left.iteration));
    emitLoop(b, b.getInt64(depth), together, sums, [&](llvm::Value *k) {
      llvm::Value *step =
          b.CreateAdd(tile, b.CreateMul(k, b.getInt64(shape.left.step)));
      for (auto [line, sum] : llvm::zip(lines, sums)) {
        llvm::LoadInst *words = b.CreateAlignedLoad(
            isVector ? vector : word, b.CreateGEP(word, line, step), align);
        llvm::Value *operand = in.row ? words : emitter.inScratch(words);
        if (!isVector)
          operand = b.CreateVectorSplat(lanes, operand);
        sum = emitWordProduct(b, shape.product, operand, factor, sum);
      }
    });
  });
  for (auto [row, sum] : llvm::enumerate(sums)) {
    llvm::Value *total = isVector ? b.CreateAddReduce(sum)
                                  : b.CreateExtractElement(sum, uint64_t(0));
    b.CreateStore(
        total, b.CreateGEP(word, offsets, b.CreateAdd(first, b.getInt64(row))));
  }
}

} // namespace nereid::cpu
