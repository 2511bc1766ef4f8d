// DotTypes.h - how the machine multiplies, and the rewrites of a kernel for that
// before it is planned.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_DOTTYPES_H
#define NEREID_CPU_COMPILER_PLAN_DOTTYPES_H

#include "plan/TileProgram.h"

namespace nereid::cpu {

/// Gives both operands of every dot a type that the machine multiplies, as
/// conversions before it, which run where the operand is kept: bf16 if that
/// holds every value and the machine multiplies several at a time, else f32 for
/// narrower floats, whose products it holds exactly. Sums narrower than f32 are
/// f32 inside the dot. Where the machine has no instruction for i8, they are
/// summed in f32 too as long as that is exact, up to a depth of 1024.
void widenDots(tt::FuncOp kernel, const GenerateOptions &options);

/// Marks the operands of `dot` that are best read through the tt.trans that
/// gives them.
void markTransposed(tt::DotOp dot, bool left, bool right);

/// Operand `side` of `dot` (0: left, 1: right) as it is kept.
DotOperand operandOf(tt::DotOp dot, unsigned side);

/// The fastest way of the machine to multiply the operands of `dot`, whose
/// types widenDots() chose; buffers are left to the planner. On bf16, all but
/// DotKind::Elements take subnormal numbers as zero.
DotPlan planProduct(tt::DotOp dot, const GenerateOptions &options);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_DOTTYPES_H
