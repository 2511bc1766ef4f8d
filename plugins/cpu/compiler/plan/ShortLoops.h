// ShortLoops.h - loops that run a few times, without a loop.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_SHORTLOOPS_H
#define NEREID_CPU_COMPILER_PLAN_SHORTLOOPS_H

#include "nereid/ttir/Dialect.h"

namespace nereid::cpu {

/// Replaces loops in `kernel` that carry tiles through a few iterations, of
/// loads and operations on elements, by what these do one after the other: a
/// nest then computes all of them for each vector, as for the taps of a
/// convolution.
void unrollShortLoops(tt::FuncOp kernel);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_SHORTLOOPS_H
