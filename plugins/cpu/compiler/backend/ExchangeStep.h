// ExchangeStep.h - a step of a sorting network in LLVM's IR.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_EXCHANGESTEP_H
#define NEREID_CPU_COMPILER_BACKEND_EXCHANGESTEP_H

#include "llvm/IR/IRBuilder.h"

#include <optional>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace nereid::cpu {

/// `(a > b) ^ mask ? yes : no` of vectors, where yes and no are a and b; the
/// comparison has no other use, may be another strict one, and the lanes whose
/// mask is set take the other operand. Each choice is one instruction of the
/// machine, a minimum or a maximum.
struct ExchangeStep {
  llvm::SelectInst *select = nullptr;
  llvm::CmpInst *compare = nullptr;
  llvm::Value *mask = nullptr;

  static std::optional<ExchangeStep> of(llvm::Instruction &instruction,
                                        const llvm::TargetMachine &machine);

  /// What the step takes of `a` and `b` in lanes whose mask is `isMasked`.
  llvm::Value *choose(llvm::IRBuilderBase &builder, llvm::Value *a,
                      llvm::Value *b, bool isMasked) const;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_EXCHANGESTEP_H
