// Accumulators.h - tiles that a loop only accumulates for a reduction.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_ACCUMULATORS_H
#define NEREID_CPU_COMPILER_PLAN_ACCUMULATORS_H

#include "plan/TileProgram.h"

namespace nereid::cpu {

/// Moves reductions into loops: where a loop only combines a tile with another
/// one in each iteration, and the result is only reduced, in the same way, each
/// iteration reduces the other tile and combines it with the previous result.
/// The carried tile, which would be read and written in scratch by each
/// iteration, becomes a scalar or a tile without the reduced axis. Changes the
/// order of additions.
void reduceInLoops(tt::FuncOp kernel, const GenerateOptions &options);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_ACCUMULATORS_H
