// DotTypes.h - operand types of dots on the target machine, and the rewrites to
// them, before planning.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_DOTTYPES_H
#define NEREID_CPU_COMPILER_PLAN_DOTTYPES_H

#include "plan/TileProgram.h"

namespace nereid::cpu {

/// Converts both operands of every dot to a type that the machine multiplies.
/// The conversions run where the operand is materialized. The type is bf16 if
/// that represents every value exactly and the machine multiplies pairs or
/// tiles of them; f16, where it multiplies tiles of bf16 and there are enough;
/// else f32 for narrower floats, whose products are exact in f32. Sums narrower
/// than f32 are f32 inside the dot. Integers become the narrowest type of which
/// an instruction adds several products; without one, i8 products are summed in
/// f32 as long as that is exact, up to a depth of 1024.
void widenDots(tt::FuncOp kernel, const GenerateOptions &options);

/// Marks the operands of `dot` whose tt.trans should not be materialized: the
/// operand of the tt.trans is read instead.
void markTransposed(tt::DotOp dot, bool left, bool right);

/// Operand `side` of `dot` (0: left, 1: right) as it is materialized.
DotOperand operandOf(tt::DotOp dot, unsigned side);

/// Chooses the fastest kind of multiplication for the operands of `dot`, whose
/// types widenDots() chose; the planner adds the buffers. On bf16, all kinds
/// but DotKind::Elements flush subnormal numbers to zero; on f16, tiles flush
/// subnormal sums that they add to.
DotPlan planProduct(tt::DotOp dot, const GenerateOptions &options);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_DOTTYPES_H
