// Atomic.cpp - atomic operations on one address.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/AtomicValues.h"
#include "emit/Emitter.h"
#include "nereid/codegen/Expand.h"

using namespace mlir;

namespace nereid::cpu {

static llvm::AtomicOrdering orderingOf(tt::MemSemantic semantic) {
  switch (semantic) {
  case tt::MemSemantic::RELAXED:
    return llvm::AtomicOrdering::Monotonic;
  case tt::MemSemantic::ACQUIRE:
    return llvm::AtomicOrdering::Acquire;
  case tt::MemSemantic::RELEASE:
    return llvm::AtomicOrdering::Release;
  case tt::MemSemantic::ACQUIRE_RELEASE:
    return llvm::AtomicOrdering::AcquireRelease;
  }
  llvm_unreachable("an unknown memory semantic");
}

llvm::Value *emitUpdate(Emitter &emitter, tt::AtomicRMWOp op, llvm::Value *old,
                        llvm::Value *value) {
  llvm::IRBuilder<> &b = emitter.builder;
  llvm::Type *type = value->getType();
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (tt::FuncOp update = codegen::findAtomicUpdate(op))
    return toBits(b,
                  emitter
                      .region(update.getBody(), {fromBits(b, old, type), value},
                              vector ? vector->getNumElements() : 1)
                      .front());
  auto operation = operationOf(op.getAtomicRmwOp());
  if (operation == llvm::AtomicRMWInst::FAdd)
    return toBits(b,
                  combineValues(b, operation, fromBits(b, old, type), value));
  if (type->isIntegerTy(1))
    operation = onBits(operation);
  return combineValues(b, operation, old, toBits(b, value));
}

/// Compares as bits, as a GPU does.
static llvm::Value *emitCompareAndSwap(Emitter &emitter, tt::AtomicCASOp op,
                                       ArrayRef<llvm::Value *> operands) {
  llvm::IRBuilder<> &b = emitter.builder;
  llvm::AtomicOrdering success = orderingOf(op.getSem());
  llvm::Value *pair = b.CreateAtomicCmpXchg(
      operands[0], toBits(b, operands[1]), toBits(b, operands[2]),
      llvm::MaybeAlign(), success,
      llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(success));
  return fromBits(b, b.CreateExtractValue(pair, 0), operands[1]->getType());
}

/// Emits a compare-and-swap loop.
static llvm::Value *emitUpdateLoop(Emitter &emitter, tt::AtomicRMWOp op,
                                   ArrayRef<llvm::Value *> operands) {
  llvm::IRBuilder<> &b = emitter.builder;
  llvm::Type *type = operands[1]->getType();
  auto *bits = b.getIntNTy(type->getScalarSizeInBits());
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(emitter.context(), name, emitter.function);
  };
  llvm::LoadInst *first = b.CreateAlignedLoad(
      bits, operands[0], llvm::Align(bits->getBitWidth() / 8));
  first->setAtomic(llvm::AtomicOrdering::Monotonic);
  llvm::BasicBlock *entry = b.GetInsertBlock();
  llvm::BasicBlock *again = block("update"), *done = block("updated");
  b.CreateBr(again);
  b.SetInsertPoint(again);
  llvm::PHINode *old = b.CreatePHI(bits, 2);
  llvm::Value *next = emitUpdate(emitter, op, old, operands[1]);
  llvm::Value *pair = b.CreateAtomicCmpXchg(
      operands[0], old, next, llvm::MaybeAlign(), orderingOf(op.getSem()),
      llvm::AtomicOrdering::Monotonic);
  old->addIncoming(first, entry);
  old->addIncoming(b.CreateExtractValue(pair, 0), b.GetInsertBlock());
  b.CreateCondBr(b.CreateExtractValue(pair, 1), done, again);
  b.SetInsertPoint(done);
  return fromBits(b, old, type);
}

static llvm::Value *emitReadModifyWrite(Emitter &emitter, tt::AtomicRMWOp op,
                                        ArrayRef<llvm::Value *> operands) {
  llvm::IRBuilder<> &b = emitter.builder;
  auto operation = operationOf(op.getAtomicRmwOp());
  llvm::Type *type = operands[1]->getType();
  if (codegen::findAtomicUpdate(op))
    return emitUpdateLoop(emitter, op, operands);
  if (operation == llvm::AtomicRMWInst::FAdd)
    return b.CreateAtomicRMW(operation, operands[0], operands[1],
                             llvm::MaybeAlign(), orderingOf(op.getSem()));
  if (type->isIntegerTy(1))
    operation = onBits(operation);
  llvm::Value *old =
      b.CreateAtomicRMW(operation, operands[0], toBits(b, operands[1]),
                        llvm::MaybeAlign(), orderingOf(op.getSem()));
  return fromBits(b, old, type);
}

llvm::Value *emitPlainAtomic(Emitter &emitter, Operation *op,
                             ArrayRef<llvm::Value *> operands) {
  llvm::IRBuilder<> &b = emitter.builder;
  llvm::Type *type = operands[1]->getType();
  llvm::Type *bits = toBits(b, operands[1])->getType();
  llvm::Align align(bits->getScalarSizeInBits() / 8);
  llvm::Value *old = b.CreateAlignedLoad(bits, operands[0], align), *next;
  if (auto swap = dyn_cast<tt::AtomicCASOp>(op))
    next = b.CreateSelect(b.CreateICmpEQ(old, toBits(b, operands[1])),
                          toBits(b, operands[2]), old);
  else
    next = emitUpdate(emitter, cast<tt::AtomicRMWOp>(op), old, operands[1]);
  b.CreateAlignedStore(next, operands[0], align);
  return fromBits(b, old, type);
}

void emitWideAtomic(Emitter &emitter, tt::AtomicRMWOp op, llvm::Value *pointer,
                    llvm::Value *values) {
  llvm::IRBuilder<> &b = emitter.builder;
  llvm::Type *wide = b.getIntNTy(CpuModel::kSwapBits), *half = b.getInt64Ty();
  llvm::Type *type = toBits(b, values)->getType();
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(emitter.context(), name, emitter.function);
  };
  // Halves of different times make the first comparison fail.
  auto loadHalf = [&](uint64_t index) {
    llvm::LoadInst *load = b.CreateAlignedLoad(
        half, b.CreateGEP(half, pointer, b.getInt64(index)), llvm::Align(8));
    load->setAtomic(llvm::AtomicOrdering::Monotonic);
    return b.CreateZExt(load, wide);
  };
  llvm::Value *first = loadHalf(0);
  first = b.CreateOr(first, b.CreateShl(loadHalf(1), 64));
  llvm::BasicBlock *entry = b.GetInsertBlock();
  llvm::BasicBlock *again = block("update"), *done = block("updated");
  b.CreateBr(again);
  b.SetInsertPoint(again);
  llvm::PHINode *old = b.CreatePHI(wide, 2);
  llvm::Value *next =
      emitUpdate(emitter, op, b.CreateBitCast(old, type), values);
  llvm::Value *pair = b.CreateAtomicCmpXchg(
      pointer, old, b.CreateBitCast(next, wide), llvm::Align(16),
      orderingOf(op.getSem()), llvm::AtomicOrdering::Monotonic);
  old->addIncoming(first, entry);
  old->addIncoming(b.CreateExtractValue(pair, 0), b.GetInsertBlock());
  b.CreateCondBr(b.CreateExtractValue(pair, 1), done, again);
  b.SetInsertPoint(done);
}

llvm::Value *loadAtomic(llvm::IRBuilder<> &b, llvm::Value *pointer,
                        llvm::Type *type, tt::MemSemantic semantic) {
  unsigned width = std::max(8u, unsigned(type->getScalarSizeInBits()));
  if (type->isPointerTy())
    width = 64;
  llvm::LoadInst *bits = b.CreateAlignedLoad(b.getIntNTy(width), pointer,
                                             llvm::Align(width / 8));
  bits->setAtomic(orderingOf(semantic));
  return fromBits(b, bits, type);
}

llvm::Value *emitAtomic(Emitter &emitter, Operation *op,
                        ArrayRef<llvm::Value *> operands) {
  llvm::IRBuilder<> &b = emitter.builder;
  if (auto swap = dyn_cast<tt::AtomicCASOp>(op))
    return emitCompareAndSwap(emitter, swap, operands);
  if (auto rmw = dyn_cast<tt::AtomicRMWOp>(op))
    return emitReadModifyWrite(emitter, rmw, operands);
  if (auto load = dyn_cast<tt::AtomicLoadOp>(op))
    return loadAtomic(b, operands[0], emitter.typeOf(load.getResult()),
                      load.getSem());
  auto store = cast<tt::AtomicStoreOp>(op);
  llvm::Value *bits = toBits(b, operands[1]);
  llvm::StoreInst *write = b.CreateAlignedStore(
      bits, operands[0],
      llvm::Align(bits->getType()->getScalarSizeInBits() / 8));
  write->setAtomic(orderingOf(store.getSem()));
  return nullptr;
}

} // namespace nereid::cpu
