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

/// Atomic instructions need integers of whole bytes: floats, pointers and
/// truth values are converted by these, or vectors of them.
static llvm::Value *toBits(llvm::IRBuilder<> &b, llvm::Value *value) {
  llvm::Type *type = value->getType();
  if (type->isIntegerTy(1))
    return b.CreateZExt(value, b.getInt8Ty());
  if (type->isPointerTy())
    return b.CreatePtrToInt(value, b.getInt64Ty());
  return b.CreateBitCast(value,
                         type->getWithNewBitWidth(type->getScalarSizeInBits()));
}

static llvm::Value *fromBits(llvm::IRBuilder<> &b, llvm::Value *bits,
                             llvm::Type *type) {
  if (type->isIntegerTy(1))
    return b.CreateTrunc(bits, type);
  return b.CreateBitOrPointerCast(bits, type);
}

/// The equivalent operation on truth values stored as bytes.
static llvm::AtomicRMWInst::BinOp onBits(llvm::AtomicRMWInst::BinOp operation) {
  using Op = llvm::AtomicRMWInst;
  switch (operation) {
  case Op::Add:
    return Op::Xor;
  case Op::Max: // a set bit is -1 as a signed i1
  case Op::UMin:
    return Op::And;
  case Op::Min:
  case Op::UMax:
    return Op::Or;
  default:
    return operation;
  }
}

static llvm::Value *combine(llvm::IRBuilder<> &b,
                            llvm::AtomicRMWInst::BinOp operation,
                            llvm::Value *old, llvm::Value *value) {
  using Op = llvm::AtomicRMWInst;
  auto extremum = [&](llvm::Intrinsic::ID id) {
    return b.CreateBinaryIntrinsic(id, old, value);
  };
  switch (operation) {
  case Op::Xchg:
    return value;
  case Op::Add:
    return b.CreateAdd(old, value);
  case Op::FAdd:
    return b.CreateFAdd(old, value);
  case Op::And:
    return b.CreateAnd(old, value);
  case Op::Or:
    return b.CreateOr(old, value);
  case Op::Xor:
    return b.CreateXor(old, value);
  case Op::Max:
    return extremum(llvm::Intrinsic::smax);
  case Op::Min:
    return extremum(llvm::Intrinsic::smin);
  case Op::UMax:
    return extremum(llvm::Intrinsic::umax);
  case Op::UMin:
    return extremum(llvm::Intrinsic::umin);
  default:
    llvm_unreachable("an operation that operationOf() does not return");
  }
}

llvm::Constant *neutralValueOf(tt::AtomicRMWOp op, llvm::Type *type) {
  unsigned bits = type->getScalarSizeInBits();
  switch (op.getAtomicRmwOp()) {
  case tt::RMWOp::FADD:
    return llvm::ConstantFP::getNegativeZero(type);
  case tt::RMWOp::AND:
  case tt::RMWOp::UMIN:
    return llvm::Constant::getAllOnesValue(type);
  case tt::RMWOp::MAX:
    return llvm::ConstantInt::get(type, APInt::getSignedMinValue(bits));
  case tt::RMWOp::MIN:
    return llvm::ConstantInt::get(type, APInt::getSignedMaxValue(bits));
  default:
    return llvm::Constant::getNullValue(type);
  }
}

llvm::Value *combineValues(llvm::IRBuilder<> &builder, tt::AtomicRMWOp op,
                           llvm::Value *old, llvm::Value *value) {
  return combine(builder, operationOf(op.getAtomicRmwOp()), old, value);
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
    return toBits(b, combine(b, operation, fromBits(b, old, type), value));
  if (type->isIntegerTy(1))
    operation = onBits(operation);
  return combine(b, operation, old, toBits(b, value));
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
