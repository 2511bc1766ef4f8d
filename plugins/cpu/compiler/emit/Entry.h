// Entry.h - the entry function of an image, which runs a range of programs.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_ENTRY_H
#define NEREID_CPU_COMPILER_EMIT_ENTRY_H

#include "emit/Emitter.h"

namespace nereid::cpu {

/// Emits an internal function `name` of the type nereid_cpu_entry_t, with the
/// body of the kernel in its loop; `info` has the layout of the arguments.
/// Returns null if an operation in the body is not supported, which has been
/// reported.
llvm::Function *emitEntry(Emitter &emitter, const KernelInfo &info,
                          llvm::StringRef name);

/// An i1: is `flag`, a NEREID_CPU_LAUNCH_*, set in the nereid_cpu_launch_t that
/// `launch` points to? An older driver has none.
llvm::Value *hasLaunchFlag(llvm::IRBuilder<> &b, llvm::Value *launch,
                           uint32_t flag);

/// Loads the number of programs along `axis` of the nereid_cpu_launch_t that
/// `launch` points to, an i32.
llvm::Value *loadGridSize(llvm::IRBuilder<> &b, llvm::Value *launch,
                          unsigned axis);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_ENTRY_H
