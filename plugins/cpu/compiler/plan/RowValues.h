// RowValues.h - values that are the same in all of a row.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_ROWVALUES_H
#define NEREID_CPU_COMPILER_PLAN_ROWVALUES_H

#include "nereid/ttir/Dialect.h"

namespace nereid::cpu {

/// Computes, loads and asserts in `kernel` once what operands say is the same
/// along dimensions of a tile: see RowValues.cpp.
void narrowRowValues(tt::FuncOp kernel);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_ROWVALUES_H
