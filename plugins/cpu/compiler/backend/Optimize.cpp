// Optimize.cpp - a short pass pipeline, selected for low compile time.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Optimize.h"

#include "ExchangePairs.h"
#include "Exchanges.h"
#include "F16Operations.h"
#include "MemoryOperands.h"
#include "RareSelects.h"
#include "ShortFloats.h"

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace nereid::cpu {

static llvm::FunctionPassManager makeFunctionPasses(unsigned level) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  if (level >= 2)
    passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(
      llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  if (level >= 2)
    passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  if (level >= 3) {
    passes.addPass(llvm::GVNPass());
    passes.addPass(llvm::DSEPass());
    passes.addPass(llvm::InstCombinePass());
  }
  return passes;
}

Optimizer::Optimizer(llvm::TargetMachine &machine, unsigned level)
    : machine(machine) {
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/false));
  if (level > 0)
    passes.addPass(
        llvm::createModuleToFunctionPassAdaptor(makeFunctionPasses(level)));
}

void Optimizer::run(llvm::Module &module) {
  passes.run(module, modules);
  branchAroundRareSelects(module);
  moveShortFloatsAsIntegers(module);
  useMemoryOperands(module, machine);
  computeF16InF32(module, machine);
  pairExchanges(module, machine);
  useExtremaInExchanges(module, machine);
  // Cached analyses refer to functions that will be deleted.
  loops.clear();
  functions.clear();
  components.clear();
  modules.clear();
}

} // namespace nereid::cpu
