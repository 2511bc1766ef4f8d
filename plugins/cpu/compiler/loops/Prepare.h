// Prepare.h - rewrites of a kernel before it is planned, for this backend.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PREPARE_H
#define NEREID_CPU_COMPILER_PREPARE_H

#include "../Generate.h"
#include "nereid/ttir/Dialect.h"

namespace nereid::cpu {

/// Gives both operands of every dot a type that the machine multiplies, as
/// conversions before it, which run where the operand is kept: bf16 if that
/// holds every value and pairsBf16(), else f32 for narrower floats, whose
/// products it holds exactly. Sums narrower than f32 are f32 inside the dot.
/// Products of i8 are summed in f32 too as long as that is exact, up to a depth
/// of 1024.
void widenDots(tt::FuncOp kernel, const GenerateOptions &options);

/// True when the machine is fastest at adding products of pairs of bf16 to f32
/// in one instruction, and the tiles of `dot` are wide enough for it. That
/// instruction takes subnormal numbers as zero.
bool pairsBf16(tt::DotOp dot, const GenerateOptions &options);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PREPARE_H
