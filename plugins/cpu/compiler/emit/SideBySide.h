// SideBySide.h - the loop over groups of programs that run together.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_SIDEBYSIDE_H
#define NEREID_CPU_COMPILER_EMIT_SIDEBYSIDE_H

#include "KernelInfo.h"
#include "plan/SideBySide.h"

#include "llvm/IR/Function.h"

namespace nereid::cpu {

/// Emits an internal function `name` that divides its programs into groups,
/// and calls `together` for each of them; or `general` for all, in launches
/// whose divisors are not positive, or so small that groups are. Which of both
/// does not depend on the programs, so results do not depend on threads. All
/// three are of the type nereid_cpu_entry_t.
llvm::Function *emitSideBySide(llvm::Function &together,
                               llvm::Function &general, const SideBySide &side,
                               const KernelInfo &info, llvm::StringRef name);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_SIDEBYSIDE_H
