// Sums.cpp - blocks of sums in registers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/dot/Sums.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::cpu {

/// A vector of `value`, from what is `known`: that of the sums, and of others.
static llvm::Value *compute(Emitter &emitter, Value value, unsigned lanes,
                            llvm::SmallDenseMap<Value, llvm::Value *> &known) {
  if (llvm::Value *done = known.lookup(value))
    return done;
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return codegen::emitConstant(constant.getSplatValue<Attribute>(),
                                 emitter.context());
  SmallVector<llvm::Value *> operands;
  for (Value operand : value.getDefiningOp()->getOperands())
    operands.push_back(compute(emitter, operand, lanes, known));
  llvm::Value *result =
      emitter.elementOp(value.getDefiningOp(), operands, lanes).front();
  known[value] = result;
  return result;
}

llvm::Type *typeStored(Emitter &emitter, const SumStore &store) {
  llvm::Type *type = emitter.memoryType(store.stored.getType());
  // As all accesses of them.
  return type->isBFloatTy() || type->isHalfTy() ? emitter.builder.getInt16Ty()
                                                : type;
}

void emitStored(Emitter &emitter, const SumStore &store, llvm::Value *sums,
                llvm::Value *place) {
  llvm::IRBuilder<> &b = emitter.builder;
  auto *vector = dyn_cast<llvm::FixedVectorType>(sums->getType());
  llvm::SmallDenseMap<Value, llvm::Value *> known = {{store.sums, sums}};
  llvm::Value *value = compute(emitter, store.stored,
                               vector ? vector->getNumElements() : 1, known);
  llvm::Type *type = typeStored(emitter, store);
  value = b.CreateBitCast(value, value->getType()->getWithNewType(type));
  b.CreateAlignedStore(value, place, llvm::Align(Emitter::bytesOf(type)));
}

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

SmallVector<llvm::Value *> SumBlocks::start(llvm::Value *first,
                                            llvm::Value *row, int64_t rows) {
  SmallVector<llvm::Value *> zeros(rows * shape.block.vectors,
                                   llvm::Constant::getNullValue(vector));
  if (shape.startsAtZero)
    return zeros;
  SmallVector<llvm::Value *> sums = zeros;
  auto load = [&] {
    for (auto [number, value] : llvm::enumerate(sums))
      value = emitter.inScratch(
          b.CreateAlignedLoad(vector, placeOf(first, number), align));
    if (in.factors)
      scale(sums, row);
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

/// Multiplies the rows of `sums`, of which the first is `row`, by their
/// factors.
void SumBlocks::scale(MutableArrayRef<llvm::Value *> sums, llvm::Value *row) {
  llvm::Value *first = b.CreateGEP(sum, in.factors, row);
  llvm::Value *factor = nullptr;
  for (auto [number, value] : llvm::enumerate(sums)) {
    auto [down, v] = std::div(int64_t(number), shape.block.vectors);
    if (v == 0) {
      factor = emitter.inScratch(b.CreateAlignedLoad(
          sum, b.CreateGEP(sum, first, b.getInt64(down)), align));
      if (shape.block.lanes > 1)
        factor = b.CreateVectorSplat(shape.block.lanes, factor);
    }
    value = b.CreateFMul(value, factor);
  }
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
  llvm::Type *type = typeStored(emitter, *shape.store);
  llvm::Value *start = b.CreateGEP(type, writtenAt(in.written, row), column);
  for (auto [number, value] : llvm::enumerate(sums)) {
    auto [down, v] = std::div(int64_t(number), shape.block.vectors);
    emitStored(emitter, *shape.store, value,
               b.CreateGEP(type, writtenAt(start, b.getInt64(down)),
                           b.getInt64(v * shape.block.lanes)));
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
