// AtomicValues.cpp - what atomic operations make of two values.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/AtomicValues.h"

using namespace mlir;

namespace nereid::cpu {

llvm::AtomicRMWInst::BinOp operationOf(tt::RMWOp operation) {
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

llvm::Value *toBits(llvm::IRBuilder<> &b, llvm::Value *value) {
  llvm::Type *type = value->getType();
  if (type->isIntegerTy(1))
    return b.CreateZExt(value, b.getInt8Ty());
  if (type->isPointerTy())
    return b.CreatePtrToInt(value, b.getInt64Ty());
  return b.CreateBitCast(value,
                         type->getWithNewBitWidth(type->getScalarSizeInBits()));
}

llvm::Value *fromBits(llvm::IRBuilder<> &b, llvm::Value *bits,
                      llvm::Type *type) {
  if (type->isIntegerTy(1))
    return b.CreateTrunc(bits, type);
  return b.CreateBitOrPointerCast(bits, type);
}

llvm::AtomicRMWInst::BinOp onBits(llvm::AtomicRMWInst::BinOp operation) {
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

llvm::Value *combineValues(llvm::IRBuilder<> &b,
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
  return combineValues(builder, operationOf(op.getAtomicRmwOp()), old, value);
}

} // namespace nereid::cpu
