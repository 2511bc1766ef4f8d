// DisjointAxis.h - programs whose atomic operations update different memory.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_DISJOINTAXIS_H
#define NEREID_CPU_COMPILER_PLAN_DISJOINTAXIS_H

#include "plan/TileProgram.h"

namespace nereid::cpu {

/// Looks for an axis of the grid along which programs with different ids update
/// different memory, and adds it and its condition to `info`.
void planDisjointAxis(tt::FuncOp kernel, const GenerateOptions &options,
                      KernelInfo &info);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_DISJOINTAXIS_H
