// EmitAtomic.cpp - atomic operations on one address.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Emit.h"

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

static llvm::AtomicRMWInst::BinOp operationOf(tt::RMWOp operation) {
  using Op = llvm::AtomicRMWInst;
  switch (operation) {
  case tt::RMWOp::AND:
    return Op::And;
  case tt::RMWOp::OR:
    return Op::Or;
  case tt::RMWOp::XOR:
    return Op::Xor;
  case tt::RMWOp::ADD:
    return Op::Add;
  case tt::RMWOp::FADD:
    return Op::FAdd;
  case tt::RMWOp::MAX:
    return Op::Max;
  case tt::RMWOp::MIN:
    return Op::Min;
  case tt::RMWOp::UMAX:
    return Op::UMax;
  case tt::RMWOp::UMIN:
    return Op::UMin;
  case tt::RMWOp::XCHG:
    return Op::Xchg;
  }
  llvm_unreachable("an unknown atomic operation");
}

/// Compares as bits, as a GPU does; floats go through integers.
static llvm::Value *emitCompareAndSwap(Emitter &emitter, tt::AtomicCASOp op,
                                       ArrayRef<llvm::Value *> operands) {
  llvm::IRBuilder<> &b = emitter.builder;
  llvm::Type *type = operands[1]->getType();
  auto *bits = b.getIntNTy(type->getScalarSizeInBits());
  llvm::AtomicOrdering success = orderingOf(op.getSem());
  llvm::Value *pair = b.CreateAtomicCmpXchg(
      operands[0], b.CreateBitCast(operands[1], bits),
      b.CreateBitCast(operands[2], bits), llvm::MaybeAlign(), success,
      llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(success));
  return b.CreateBitCast(b.CreateExtractValue(pair, 0), type);
}

llvm::Value *emitAtomic(Emitter &emitter, Operation *op,
                        ArrayRef<llvm::Value *> operands) {
  llvm::IRBuilder<> &b = emitter.builder;
  if (auto swap = dyn_cast<tt::AtomicCASOp>(op))
    return emitCompareAndSwap(emitter, swap, operands);
  if (auto rmw = dyn_cast<tt::AtomicRMWOp>(op)) {
    llvm::Type *type = operands[1]->getType();
    auto operation = operationOf(rmw.getAtomicRmwOp());
    if (operation == llvm::AtomicRMWInst::Xchg && type->isFloatingPointTy()) {
      auto *bits = b.getIntNTy(type->getScalarSizeInBits());
      llvm::Value *old = b.CreateAtomicRMW(
          operation, operands[0], b.CreateBitCast(operands[1], bits),
          llvm::MaybeAlign(), orderingOf(rmw.getSem()));
      return b.CreateBitCast(old, type);
    }
    return b.CreateAtomicRMW(operation, operands[0], operands[1],
                             llvm::MaybeAlign(), orderingOf(rmw.getSem()));
  }
  if (auto load = dyn_cast<tt::AtomicLoadOp>(op)) {
    llvm::Type *type = emitter.memoryType(load.getType());
    auto *bits = b.getIntNTy(type->getScalarSizeInBits());
    llvm::LoadInst *value = b.CreateAlignedLoad(
        bits, operands[0], llvm::Align(bits->getBitWidth() / 8));
    value->setAtomic(orderingOf(load.getSem()));
    return b.CreateBitCast(value, type);
  }
  if (auto store = dyn_cast<tt::AtomicStoreOp>(op)) {
    llvm::Value *value = operands[1];
    auto *bits = b.getIntNTy(value->getType()->getScalarSizeInBits());
    llvm::StoreInst *write =
        b.CreateAlignedStore(b.CreateBitCast(value, bits), operands[0],
                             llvm::Align(bits->getBitWidth() / 8));
    write->setAtomic(orderingOf(store.getSem()));
    return nullptr;
  }
  emitter.refuse(op, "'" + op->getName().getStringRef().str() + "'");
  return llvm::PoisonValue::get(emitter.typeOf(op->getResult(0)));
}

} // namespace nereid::cpu
