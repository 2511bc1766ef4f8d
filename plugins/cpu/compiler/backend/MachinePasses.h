// MachinePasses.h - leaves out passes of code generation that gain nothing.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_MACHINEPASSES_H
#define NEREID_CPU_COMPILER_BACKEND_MACHINEPASSES_H

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Pass.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace nereid::cpu {

/// Passes on what LLVM adds to a pipeline, except for optimizations that take
/// longer to compile than they are worth, or that find nothing to do in
/// kernels, with the analyses that only they need.
class MachinePasses : public llvm::legacy::PassManagerBase {
public:
  MachinePasses(llvm::legacy::PassManagerBase &target,
                const llvm::TargetMachine &machine);

  void add(llvm::Pass *pass) override;

private:
  bool isNeeded(const llvm::Pass &pass);

  llvm::legacy::PassManagerBase &target;
  const bool isX86;
  const bool hasTiles;
  const bool hardensLoads;
  bool hasCopyPropagation = false;
  /// The allocation of registers that was added last: perhaps only of tiles.
  std::unique_ptr<llvm::Pass> allocation;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_MACHINEPASSES_H
