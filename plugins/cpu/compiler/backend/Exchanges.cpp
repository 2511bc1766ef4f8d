// Exchanges.cpp - steps of sorting networks as minima and maxima.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Exchanges.h"

#include "backend/ExchangeStep.h"
#include "backend/Features.h"

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
         hasFeature(machine,
                    element->getScalarSizeInBits() == 64 ? "avx512vl" : "avx2");
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

std::optional<ExchangeStep>
ExchangeStep::of(llvm::Instruction &instruction,
                 const llvm::TargetMachine &machine) {
  using namespace llvm::PatternMatch;
  ExchangeStep step;
  step.select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
  llvm::Value *compared;
  auto comparison = m_OneUse(m_CombineAnd(m_Cmp(), m_Value(compared)));
  if (!step.select ||
      !match(step.select->getCondition(),
             m_OneUse(m_c_Xor(comparison, m_Value(step.mask)))) ||
      !hasExtrema(step.select->getType(), machine))
    return std::nullopt;
  step.compare = llvm::cast<llvm::CmpInst>(compared);
  llvm::Value *a = step.compare->getOperand(0);
  llvm::Value *b = step.compare->getOperand(1);
  llvm::Value *yes = step.select->getTrueValue();
  llvm::Value *no = step.select->getFalseValue();
  bool takesBoth = (yes == a && no == b) || (yes == b && no == a);
  if (!takesBoth || !isStrict(step.compare->getPredicate()))
    return std::nullopt;
  return step;
}

llvm::Value *ExchangeStep::choose(llvm::IRBuilderBase &builder, llvm::Value *a,
                                  llvm::Value *b, bool isMasked) const {
  // One of its own for each: an instruction is not selected otherwise.
  llvm::Value *own = builder.CreateCmp(compare->getPredicate(), a, b);
  bool takesFirst = select->getTrueValue() == compare->getOperand(0);
  return takesFirst != isMasked ? builder.CreateSelect(own, a, b)
                                : builder.CreateSelect(own, b, a);
}

void useExtremaInExchanges(llvm::Module &module,
                           const llvm::TargetMachine &machine) {
  if (!machine.getTargetTriple().isX86())
    return;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function) {
      llvm::SmallVector<ExchangeStep> steps;
      for (llvm::Instruction &instruction : block)
        if (auto step = ExchangeStep::of(instruction, machine))
          steps.push_back(*step);
      for (ExchangeStep &step : steps) {
        llvm::IRBuilder<> builder(step.select);
        llvm::Value *a = step.compare->getOperand(0);
        llvm::Value *b = step.compare->getOperand(1);
        step.select->replaceAllUsesWith(
            builder.CreateSelect(step.mask, step.choose(builder, a, b, true),
                                 step.choose(builder, a, b, false)));
        llvm::RecursivelyDeleteTriviallyDeadInstructions(step.select);
      }
    }
}

} // namespace nereid::cpu
