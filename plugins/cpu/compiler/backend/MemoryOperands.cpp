// MemoryOperands.cpp - constants as memory operands of instructions.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "MemoryOperands.h"

#include "backend/Features.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace nereid::cpu {

/// The number of registers, of 16, that are available for constants.
static constexpr unsigned kRegistersForConstants = 6;

static llvm::Constant *vectorConstant(llvm::Value *value) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(value);
  return constant && constant->getType()->isVectorTy() &&
                 constant->getSplatValue() && !constant->isNullValue()
             ? constant
             : nullptr;
}

/// The operand of `instruction` that may be in memory; null if none.
static llvm::Use *memoryOperand(llvm::Instruction &instruction) {
  if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    if (call->getIntrinsicID() != llvm::Intrinsic::fma)
      return nullptr;
    for (unsigned i : {2, 1, 0})
      if (vectorConstant(call->getArgOperand(i)))
        return &call->getArgOperandUse(i);
    return nullptr;
  }
  switch (instruction.getOpcode()) {
  case llvm::Instruction::FAdd:
  case llvm::Instruction::FMul:
  case llvm::Instruction::FSub:
    return vectorConstant(instruction.getOperand(1))
               ? &instruction.getOperandUse(1)
               : nullptr;
  default:
    return nullptr;
  }
}

static llvm::GlobalVariable *variableOf(llvm::Constant *constant,
                                        llvm::Module &module) {
  for (llvm::User *user : constant->users())
    if (auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(user))
      return variable;
  auto *variable = new llvm::GlobalVariable(
      module, constant->getType(), /*isConstant=*/false,
      llvm::GlobalValue::PrivateLinkage, constant, "constant");
  variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return variable;
}

static void useMemoryOperands(llvm::BasicBlock &block) {
  llvm::SmallVector<llvm::Use *> uses;
  llvm::SmallPtrSet<llvm::Value *, 16> constants;
  for (llvm::Instruction &instruction : block)
    if (llvm::Use *use = memoryOperand(instruction)) {
      uses.push_back(use);
      constants.insert(use->get());
    }
  if (constants.size() <= kRegistersForConstants)
    return;
  for (llvm::Use *use : uses) {
    llvm::IRBuilder<> builder(llvm::cast<llvm::Instruction>(use->getUser()));
    auto *constant = llvm::cast<llvm::Constant>(use->get());
    use->set(builder.CreateLoad(constant->getType(),
                                variableOf(constant, *block.getModule())));
  }
}

void useMemoryOperands(llvm::Module &module,
                       const llvm::TargetMachine &machine) {
  if (!machine.getTargetTriple().isX86() || !hasFeature(machine, "avx") ||
      hasFeature(machine, "avx512vl"))
    return;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      useMemoryOperands(block);
}

} // namespace nereid::cpu
