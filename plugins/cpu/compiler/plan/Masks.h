// Masks.h - which masks of a nest become intervals of its vector axis.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_MASKS_H
#define NEREID_CPU_COMPILER_PLAN_MASKS_H

#include "plan/TileProgram.h"

namespace nereid::cpu {

/// Fills in Inner::masks of all nests of `program`, whose materialized values
/// are opaque to `forms`.
void planMasks(TileProgram &program, codegen::TileForms &forms,
               const GenerateOptions &options);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_MASKS_H
