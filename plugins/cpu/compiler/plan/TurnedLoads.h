// TurnedLoads.h - operands of products that are loaded with their dimensions
// exchanged.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_TURNEDLOADS_H
#define NEREID_CPU_COMPILER_PLAN_TURNEDLOADS_H

#include "Generate.h"
#include "nereid/ttir/Dialect.h"

namespace nereid::cpu {

/// Replaces loads in `kernel` that only products read, and whose elements are
/// neighbours in pieces of the first dimension and anywhere along the second,
/// by the transposition of a load along the first: the pixels that a
/// convolution multiplies by filters, where channels or places in the filter
/// are the depth of the product.
void turnLoads(tt::FuncOp kernel, const GenerateOptions &options);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_TURNEDLOADS_H
