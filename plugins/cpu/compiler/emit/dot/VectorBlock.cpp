// VectorBlock.cpp - a block of sums in vector registers, and the products of one
// k that are added to it.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/dot/Vector.h"

using namespace mlir;

namespace nereid::cpu {

VectorDotEmitter::Sums VectorDotEmitter::loadSums(llvm::Value *c, int64_t rows,
                                                  int64_t vectors,
                                                  llvm::Value *offsets) {
  llvm::Align align(sum->getScalarSizeInBits() / 8);
  Sums sums{vectors, {}, {}};
  for (int64_t row = 0; row < rows; ++row) {
    llvm::Value *offset = nullptr;
    if (offsets)
      offset = b.CreateVectorSplat(
          lanes, b.CreateAlignedLoad(sum, sumAt(offsets, i64(row)), align));
    for (int64_t v = 0; v < vectors; ++v) {
      sums.places.push_back(sumAt(c, i64(row * columns + v * lanes)));
      llvm::Value *value = emitter.inScratch(
          b.CreateAlignedLoad(vectorOf(sum), sums.places.back(), align));
      sums.values.push_back(offset ? b.CreateSub(value, offset) : value);
    }
  }
  return sums;
}

void VectorDotEmitter::store(const Sums &sums) {
  llvm::Align align(sum->getScalarSizeInBits() / 8);
  for (auto [place, value] : llvm::zip(sums.places, sums.values))
    emitter.inScratch(b.CreateAlignedStore(value, place, align));
}

SmallVector<llvm::Value *> VectorDotEmitter::linesOf(llvm::Value *x,
                                                     int64_t rows) {
  SmallVector<llvm::Value *> lines = {x};
  for (int64_t row = 1; in.row && row < rows; ++row)
    lines.push_back(rowAt(x, i64(row)));
  return lines;
}

void VectorDotEmitter::addProducts(ArrayRef<llvm::Value *> lines,
                                   llvm::Value *offset, int64_t more,
                                   llvm::Value *line, Sums &sums) {
  // Words that are in memory are aligned to elements only.
  llvm::Align align(in.row ? shape.factorBytes() : shape.wordBytes());
  SmallVector<llvm::Value *> right = loadLine(line, sums.vectors);
  for (int64_t row = 0; row < sums.rows(); ++row) {
    int64_t constant = in.row ? 0 : row * shape.left.line;
    llvm::LoadInst *element = b.CreateAlignedLoad(
        factor, at(at(lines[in.row ? row : 0], offset), i64(constant + more)),
        align);
    llvm::Value *left = in.row ? element : emitter.inScratch(element);
    if (lanes > 1)
      left = b.CreateVectorSplat(lanes, left);
    for (int64_t v = 0; v < sums.vectors; ++v) {
      llvm::Value *&total = sums.values[row * sums.vectors + v];
      total = multiplyAdd(left, right[v], total);
    }
  }
}

SmallVector<llvm::Value *> VectorDotEmitter::loadLine(llvm::Value *line,
                                                      int64_t vectors) {
  llvm::Align align(factor->getScalarSizeInBits() / 8);
  SmallVector<llvm::Value *> loaded;
  for (int64_t v = 0; v < vectors; ++v) {
    llvm::LoadInst *vector = b.CreateAlignedLoad(
        vectorOf(factor), at(line, i64(v * lanes)), align);
    loaded.push_back(in.step ? vector : emitter.inScratch(vector));
  }
  return loaded;
}

llvm::Value *VectorDotEmitter::multiplyAdd(llvm::Value *x, llvm::Value *y,
                                           llvm::Value *z) {
  if (hasWords)
    return emitWordProduct(b, shape.product, x, y, z);
  if (x->getType()->isFPOrFPVectorTy())
    return hasFma ? b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()},
                                      {x, y, z})
                  : b.CreateFAdd(b.CreateFMul(x, y), z);
  return b.CreateAdd(b.CreateMul(x, y), z);
}

llvm::Type *VectorDotEmitter::vectorOf(llvm::Type *type) {
  return lanes > 1 ? llvm::FixedVectorType::get(type, lanes) : type;
}

llvm::Value *VectorDotEmitter::panelAt(llvm::Value *base, llvm::Value *column) {
  if (!in.panel)
    return at(base, b.CreateMul(column, i64(shape.right.line)));
  llvm::Value *number = b.CreateUDiv(column, i64(lanes * blockVectors));
  return b.CreateGEP(b.getInt8Ty(), base, b.CreateMul(number, in.panel));
}

llvm::Value *VectorDotEmitter::stepAt(llvm::Value *base, llvm::Value *steps) {
  return in.step ? b.CreateGEP(b.getInt8Ty(), base,
                               b.CreateMul(steps, in.step))
                 : at(base, b.CreateMul(steps, i64(shape.right.step)));
}

} // namespace nereid::cpu
