// Choice.h - the choice, at launch, between two forms of a kernel.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_CHOICE_H
#define NEREID_CPU_COMPILER_EMIT_CHOICE_H

#include "KernelInfo.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"

#include <array>
#include <cstdint>
#include <vector>

namespace nereid::cpu {

/// What a form of a kernel relies on.
struct FormCondition {
  /// Integers of the kernel that are one.
  llvm::SmallVector<mlir::BlockArgument> ones;
  /// The grid has at most so many programs along x, y and z; the largest
  /// number if that does not matter.
  std::array<uint32_t, 3> mostPrograms = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  /// If it is not empty, the last step of this formula is not negative.
  std::vector<nereid_work_step_t> formula;

  /// Is it that no index overflows, and nothing else?
  bool isOfGrids() const { return ones.empty() && formula.empty(); }
};

/// Emits an internal function `name` that calls `special` where `condition`
/// holds, and `general` elsewhere. Both are of the type nereid_cpu_entry_t, and
/// so is the result.
llvm::Function *emitChoice(llvm::Function &special, llvm::Function &general,
                           const FormCondition &condition,
                           const KernelInfo &info, llvm::StringRef name);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_CHOICE_H
