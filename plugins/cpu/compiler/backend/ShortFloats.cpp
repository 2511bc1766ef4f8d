// ShortFloats.cpp - 16-bit floats that are only moved, as integers.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ShortFloats.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace nereid::cpu {

static bool isShortFloat(llvm::Type *type) {
  return type->getScalarType()->isHalfTy() ||
         type->getScalarType()->isBFloatTy();
}

static llvm::Type *bitsType(llvm::Type *type) {
  return type->getWithNewType(llvm::Type::getInt16Ty(type->getContext()));
}

static llvm::Value *bitsOf(llvm::IRBuilder<> &builder, llvm::Value *value) {
  llvm::Type *type = bitsType(value->getType());
  if (auto *cast = llvm::dyn_cast<llvm::BitCastInst>(value);
      cast && cast->getSrcTy() == type)
    return cast->getOperand(0);
  return builder.CreateBitCast(value, type);
}

static void replace(llvm::IRBuilder<> &builder, llvm::Instruction &instruction,
                    llvm::Value *by) {
  by->takeName(&instruction);
  instruction.replaceAllUsesWith(
      builder.CreateBitCast(by, instruction.getType()));
  instruction.eraseFromParent();
}

/// The bits of a negation, an absolute value or a copied sign, which LLVM also
/// creates from integer operations; else null.
static llvm::Value *signOperation(llvm::IRBuilder<> &builder,
                                  llvm::Instruction &instruction) {
  if (!isShortFloat(instruction.getType()))
    return nullptr;
  llvm::Type *bits = bitsType(instruction.getType());
  llvm::Constant *sign = llvm::ConstantInt::get(bits, 0x8000);
  auto magnitude = [&](llvm::Value *value) {
    return builder.CreateAnd(bitsOf(builder, value),
                             llvm::ConstantInt::get(bits, 0x7fff));
  };
  if (instruction.getOpcode() == llvm::Instruction::FNeg)
    return builder.CreateXor(bitsOf(builder, instruction.getOperand(0)), sign);
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call)
    return nullptr;
  if (call->getIntrinsicID() == llvm::Intrinsic::fabs)
    return magnitude(call->getArgOperand(0));
  if (call->getIntrinsicID() == llvm::Intrinsic::copysign)
    return builder.CreateOr(
        magnitude(call->getArgOperand(0)),
        builder.CreateAnd(bitsOf(builder, call->getArgOperand(1)), sign));
  return nullptr;
}

static void moveAsIntegers(llvm::Instruction &instruction) {
  llvm::IRBuilder<> builder(&instruction);
  if (llvm::Value *bits = signOperation(builder, instruction))
    return replace(builder, instruction, bits);
  auto castOperands = [&](llvm::Instruction &user) {
    for (llvm::Use &operand : user.operands())
      if (isShortFloat(operand->getType()))
        operand.set(bitsOf(builder, operand.get()));
  };
  if (llvm::isa<llvm::StoreInst>(instruction))
    return castOperands(instruction);
  // Casts of casts, which would move the short float to their block.
  if (auto *cast = llvm::dyn_cast<llvm::BitCastInst>(&instruction)) {
    if (isShortFloat(cast->getSrcTy()) && !isShortFloat(cast->getDestTy()))
      cast->setOperand(0, bitsOf(builder, cast->getOperand(0)));
    return;
  }
  if (!isShortFloat(instruction.getType()) ||
      !llvm::isa<llvm::LoadInst, llvm::SelectInst, llvm::FreezeInst,
                 llvm::InsertElementInst, llvm::ExtractElementInst,
                 llvm::ShuffleVectorInst>(instruction))
    return;
  llvm::Instruction *move = instruction.clone();
  castOperands(*move);
  move->mutateType(bitsType(instruction.getType()));
  replace(builder, instruction, builder.Insert(move));
}

static void carryAsInteger(llvm::PHINode &phi) {
  llvm::IRBuilder<> builder(&phi);
  llvm::PHINode *bits =
      builder.CreatePHI(bitsType(phi.getType()), phi.getNumIncomingValues());
  for (auto [block, value] : llvm::zip(phi.blocks(), phi.incoming_values())) {
    builder.SetInsertPoint(block->getTerminator());
    bits->addIncoming(bitsOf(builder, value), block);
  }
  builder.SetInsertPoint(phi.getParent(),
                         phi.getParent()->getFirstInsertionPt());
  replace(builder, phi, bits);
}

void moveShortFloatsAsIntegers(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    for (llvm::BasicBlock &block : function)
      for (llvm::PHINode &phi : llvm::make_early_inc_range(block.phis()))
        if (isShortFloat(phi.getType()))
          carryAsInteger(phi);
    // Definitions before uses.
    llvm::ReversePostOrderTraversal<llvm::Function *> order(&function);
    for (llvm::BasicBlock *block : order)
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(*block))
        moveAsIntegers(instruction);
  }
}

} // namespace nereid::cpu
