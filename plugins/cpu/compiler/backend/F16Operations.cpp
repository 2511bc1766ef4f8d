// F16Operations.cpp - operations on f16 that LLVM 19 selects badly, in f32.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "F16Operations.h"

#include "Features.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace nereid::cpu {

namespace {

class Widening {
public:
  explicit Widening(bool onlyVectorCompares)
      : onlyVectorCompares(onlyVectorCompares) {}

  void run(llvm::Function &function);

private:
  bool isWidened(const llvm::Instruction &instruction) const;
  llvm::Value *inF32(llvm::IRBuilder<> &builder, llvm::Value *value) const;
  void widen(llvm::Instruction &instruction);
  void dropExtension(llvm::FPExtInst &extension);

  bool onlyVectorCompares;
  /// What the pass truncated to f16, before that: no need to extend it again.
  llvm::MapVector<llvm::Instruction *, llvm::Value *> wideOf;
};

} // namespace

static bool isHalf(const llvm::Value *value) {
  return value->getType()->getScalarType()->isHalfTy();
}

/// Is the result of f32 operands that are f16 numbers an f16 number too?
static bool isExactInF32(const llvm::Instruction &instruction) {
  if (instruction.getOpcode() == llvm::Instruction::FRem)
    return true;
  const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call)
    return false;
  switch (call->getIntrinsicID()) {
  case llvm::Intrinsic::maximum:
  case llvm::Intrinsic::minimum:
  case llvm::Intrinsic::maxnum:
  case llvm::Intrinsic::minnum:
  case llvm::Intrinsic::ceil:
  case llvm::Intrinsic::floor:
  case llvm::Intrinsic::nearbyint:
  case llvm::Intrinsic::rint:
  case llvm::Intrinsic::round:
  case llvm::Intrinsic::roundeven:
  case llvm::Intrinsic::trunc:
    return true;
  default:
    return false;
  }
}

bool Widening::isWidened(const llvm::Instruction &instruction) const {
  if (llvm::isa<llvm::FCmpInst>(instruction)) {
    const llvm::Value *operand = instruction.getOperand(0);
    return isHalf(operand) &&
           (!onlyVectorCompares || operand->getType()->isVectorTy());
  }
  return !onlyVectorCompares && isHalf(&instruction) &&
         isExactInF32(instruction);
}

llvm::Value *Widening::inF32(llvm::IRBuilder<> &builder,
                             llvm::Value *value) const {
  if (auto *instruction = llvm::dyn_cast<llvm::Instruction>(value))
    if (llvm::Value *wide = wideOf.lookup(instruction))
      return wide;
  return builder.CreateFPExt(
      value, value->getType()->getWithNewType(builder.getFloatTy()));
}

void Widening::widen(llvm::Instruction &instruction) {
  llvm::IRBuilder<> builder(&instruction);
  if (auto *compare = llvm::dyn_cast<llvm::FCmpInst>(&instruction)) {
    for (llvm::Use &operand : compare->operands())
      operand.set(inF32(builder, operand));
    return;
  }
  builder.setFastMathFlags(instruction.getFastMathFlags());
  llvm::Value *wide;
  if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    llvm::SmallVector<llvm::Value *, 2> arguments;
    for (llvm::Value *argument : call->args())
      arguments.push_back(inF32(builder, argument));
    wide = builder.CreateIntrinsic(call->getIntrinsicID(),
                                   {arguments.front()->getType()}, arguments);
  } else {
    wide = builder.CreateFRem(inF32(builder, instruction.getOperand(0)),
                              inF32(builder, instruction.getOperand(1)));
  }
  llvm::Value *narrow = builder.CreateFPTrunc(wide, instruction.getType());
  instruction.replaceAllUsesWith(narrow);
  instruction.eraseFromParent();
  if (auto *truncation = llvm::dyn_cast<llvm::Instruction>(narrow))
    wideOf[truncation] = wide;
}

void Widening::dropExtension(llvm::FPExtInst &extension) {
  auto *source = llvm::dyn_cast<llvm::Instruction>(extension.getOperand(0));
  llvm::Value *wide = source ? wideOf.lookup(source) : nullptr;
  if (!wide || wide->getType() != extension.getType())
    return;
  extension.replaceAllUsesWith(wide);
  extension.eraseFromParent();
}

void Widening::run(llvm::Function &function) {
  // Definitions before uses.
  llvm::ReversePostOrderTraversal<llvm::Function *> order(&function);
  for (llvm::BasicBlock *block : order)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(*block)) {
      if (isWidened(instruction))
        widen(instruction);
      else if (auto *cast = llvm::dyn_cast<llvm::FPExtInst>(&instruction))
        dropExtension(*cast);
    }
  for (llvm::Instruction *narrow : llvm::make_first_range(wideOf))
    if (narrow->use_empty())
      narrow->eraseFromParent();
  wideOf.clear();
}

void computeF16InF32(llvm::Module &module, const llvm::TargetMachine &machine) {
  const llvm::Triple &triple = machine.getTargetTriple();
  if (triple.isAArch64() && hasFeature(machine, "fullfp16"))
    return;
  Widening widening(triple.isX86() && hasFeature(machine, "avx512fp16"));
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      widening.run(function);
}

} // namespace nereid::cpu
