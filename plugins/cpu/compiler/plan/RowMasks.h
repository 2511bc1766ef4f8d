// RowMasks.h - masks of loads that are the same for a whole row.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_ROWMASKS_H
#define NEREID_CPU_COMPILER_PLAN_ROWMASKS_H

#include "plan/IndexParts.h"

namespace nereid::cpu {

/// Widens masks of loads and assertions in the kernel that `index` surveyed,
/// whose tiles have its dimensions: see RowMasks.cpp.
void widenRowMasks(const IndexParts &index);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_ROWMASKS_H
