// Entry.h - the entry function of an image, which runs a range of programs.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_ENTRY_H
#define NEREID_CPU_COMPILER_EMIT_ENTRY_H

#include "emit/Emitter.h"

#include <array>
#include <cstdint>

namespace nereid::cpu {

/// Emits an internal function `name` of the type nereid_cpu_entry_t, with the
/// body of the kernel in its loop; `info` has the layout of the arguments.
/// Returns null if an operation in the body is not supported, which has been
/// reported.
llvm::Function *emitEntry(Emitter &emitter, const KernelInfo &info,
                          llvm::StringRef name);

/// What a form of a kernel relies on.
struct FormCondition {
  /// Integers of the kernel that are one.
  llvm::SmallVector<mlir::BlockArgument> ones;
  /// The grid has at most so many programs along x, y and z; the largest
  /// number if that does not matter.
  std::array<uint32_t, 3> mostPrograms = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
};

/// Emits an internal function `name` that calls `special` where `condition`
/// holds, and `general` elsewhere. Both are of the type nereid_cpu_entry_t, and
/// so is the result.
llvm::Function *emitChoice(llvm::Function &special, llvm::Function &general,
                           const FormCondition &condition,
                           const KernelInfo &info, llvm::StringRef name);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_ENTRY_H
