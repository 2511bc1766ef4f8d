// Exchanges.cpp - steps of sorting networks as minima and maxima.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Exchanges.h"

#include "backend/Features.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

namespace nereid::cpu {

/// Can one instruction take the smaller, or larger, of two such vectors?
static bool hasExtrema(llvm::Type *type, const llvm::TargetMachine &machine) {
  if (!type->isVectorTy())
    return false;
  llvm::Type *element = type->getScalarType();
  if (element->isFloatTy() || element->isDoubleTy())
    return true;
  return element->isIntegerTy() &&
         hasFeature(machine, element->getScalarSizeInBits() == 64 ? "avx512vl"
                                                                  : "avx2");
}

/// The comparisons that are true for a smaller, or larger, first operand only.
/// With others, a minimum of x86 would choose another of two equal numbers.
static bool isStrict(llvm::CmpInst::Predicate predicate) {
  using llvm::CmpInst;
  switch (predicate) {
  case CmpInst::FCMP_OGT:
  case CmpInst::FCMP_OLT:
  case CmpInst::ICMP_SGT:
  case CmpInst::ICMP_SLT:
  case CmpInst::ICMP_UGT:
  case CmpInst::ICMP_ULT:
    return true;
  default:
    return false;
  }
}

static void rewrite(llvm::SelectInst &select,
                    const llvm::TargetMachine &machine) {
  using namespace llvm::PatternMatch;
  llvm::Value *compared, *mask;
  auto comparison = m_OneUse(m_CombineAnd(m_Cmp(), m_Value(compared)));
  if (!match(select.getCondition(),
             m_OneUse(m_c_Xor(comparison, m_Value(mask)))) ||
      !hasExtrema(select.getType(), machine))
    return;
  auto *compare = llvm::cast<llvm::CmpInst>(compared);
  llvm::Value *a = compare->getOperand(0), *b = compare->getOperand(1);
  llvm::Value *yes = select.getTrueValue(), *no = select.getFalseValue();
  bool takesBoth = (yes == a && no == b) || (yes == b && no == a);
  if (!takesBoth || !isStrict(compare->getPredicate()))
    return;
  llvm::IRBuilder<> builder(&select);
  auto choose = [&](llvm::Value *first, llvm::Value *second) {
    // One of its own for each: an instruction is not selected otherwise.
    llvm::Value *own = builder.CreateCmp(compare->getPredicate(), a, b);
    return builder.CreateSelect(own, first, second);
  };
  select.replaceAllUsesWith(
      builder.CreateSelect(mask, choose(no, yes), choose(yes, no)));
  llvm::RecursivelyDeleteTriviallyDeadInstructions(&select);
}

void useExtremaInExchanges(llvm::Module &module,
                           const llvm::TargetMachine &machine) {
  if (!machine.getTargetTriple().isX86())
    return;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function) {
      llvm::SmallVector<llvm::SelectInst *> selects;
      for (llvm::Instruction &instruction : block)
        if (auto *select = llvm::dyn_cast<llvm::SelectInst>(&instruction))
          selects.push_back(select);
      for (llvm::SelectInst *select : selects)
        rewrite(*select, machine);
    }
}

} // namespace nereid::cpu
