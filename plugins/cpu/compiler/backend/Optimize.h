// Optimize.h - the passes over LLVM IR before code generation.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_OPTIMIZE_H
#define NEREID_CPU_COMPILER_BACKEND_OPTIMIZE_H

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class TargetMachine;
}

namespace nereid::cpu {

/// The generator emits vectorized loops already, so there is no vectorizer or
/// unroller: the passes simplify, eliminate common subexpressions and hoist
/// loop-invariant code. Created once for a machine; used by one thread at a
/// time.
class Optimizer {
public:
  /// `level` is from 0 (required passes only) to 3.
  Optimizer(llvm::TargetMachine &machine, unsigned level);

  void run(llvm::Module &module);

private:
  llvm::TargetMachine &machine;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::ModulePassManager passes;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_OPTIMIZE_H
