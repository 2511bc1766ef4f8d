// ShortBranches.h - branches of which both sides are computed.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_SHORTBRANCHES_H
#define NEREID_CPU_COMPILER_PLAN_SHORTBRANCHES_H

#include "nereid/ttir/Dialect.h"

namespace nereid::cpu {

/// Replaces each scf.if in `kernel` that yields tiles, and of which both sides
/// are a few operations on elements, by these and selections. So they can share
/// a nest with what is before and after them.
void flattenShortBranches(tt::FuncOp kernel);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_SHORTBRANCHES_H
