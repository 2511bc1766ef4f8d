// RowSteps.h - loops that reduce a few rows in each iteration.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_ROWSTEPS_H
#define NEREID_CPU_COMPILER_PLAN_ROWSTEPS_H

#include "Generate.h"
#include "nereid/ttir/Dialect.h"

namespace nereid::cpu {

/// Divides the iterations of the loop in `kernel` in which programs would take
/// turns to reduce columns, if each reads more rows than the hardware
/// prefetches for.
void shortenRowSteps(tt::FuncOp kernel, const GenerateOptions &options);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_ROWSTEPS_H
