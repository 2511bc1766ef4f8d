// Sums.cpp - blocks of sums in vector registers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/dot/Sums.h"

#include "mlir/IR/Matchers.h"

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
  if (!shape.store)
    return storeInScratch(sums, first);
  if (!shape.store->hasElementOps()) // to scratch too
    return storeInMemory(sums, row, column);
  llvm::Value *isStored = b.CreateIsNotNull(in.written);
  emitIf(emitter, isStored, [&] { storeInMemory(sums, row, column); });
  emitIf(emitter, b.CreateNot(isStored), [&] { storeInScratch(sums, first); });
}

/// Writes what the program stores to `in.written`.
void SumBlocks::storeInMemory(ArrayRef<llvm::Value *> sums, llvm::Value *row,
                              llvm::Value *column) {
  Value stored = shape.store->stored;
  llvm::Type *type = emitter.memoryType(stored.getType());
  if (type->isBFloatTy() || type->isHalfTy())
    type = b.getInt16Ty(); // as all accesses of them
  llvm::Value *start = b.CreateGEP(type, writtenAt(in.written, row), column);
  for (auto [number, sum] : llvm::enumerate(sums)) {
    Known known = {{shape.store->sums, sum}};
    llvm::Value *value = compute(stored, known);
    value = b.CreateBitCast(value, value->getType()->getWithNewType(type));
    auto [down, v] = std::div(int64_t(number), shape.block.vectors);
    llvm::Value *place = b.CreateGEP(type, writtenAt(start, b.getInt64(down)),
                                     b.getInt64(v * shape.block.lanes));
    b.CreateAlignedStore(value, place, llvm::Align(Emitter::bytesOf(type)));
  }
}

/// A vector of `value`, from that of the sums.
llvm::Value *SumBlocks::compute(Value value, Known &known) {
  if (llvm::Value *done = known.lookup(value))
    return done;
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return codegen::emitConstant(constant.getSplatValue<Attribute>(),
                                 emitter.context());
  SmallVector<llvm::Value *> operands;
  for (Value operand : value.getDefiningOp()->getOperands())
    operands.push_back(compute(operand, known));
  llvm::Value *result =
      emitter.elementOp(value.getDefiningOp(), operands, shape.block.lanes)
          .front();
  known[value] = result;
  return result;
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
