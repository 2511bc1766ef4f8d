// Turns.h - programs that take turns in a loop.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_TURNS_H
#define NEREID_CPU_COMPILER_EMIT_TURNS_H

#include "emit/ProgramGroup.h"

namespace nereid::cpu {

/// Emits the bodies of some programs, at most `left`, an i64 of at least 1. The
/// first has the ids in `ids`, which become those of the program after them.
/// `next` returns the ids that follow some. Returns their number.
llvm::Value *emitTurns(Emitter &emitter, ProgramIds &ids, llvm::Value *left,
                       NextIds next);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_TURNS_H
