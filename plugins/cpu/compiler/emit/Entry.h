// Entry.h - the entry function of an image, which runs a range of programs.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_ENTRY_H
#define NEREID_CPU_COMPILER_EMIT_ENTRY_H

#include "emit/Emitter.h"

namespace nereid::cpu {

/// Emits the function `kEntryName`, with the body of the kernel in its loop;
/// `info` has the layout of the arguments. Returns false if an operation in the
/// body is not supported, which has been reported.
bool emitEntry(Emitter &emitter, const KernelInfo &info);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_ENTRY_H
