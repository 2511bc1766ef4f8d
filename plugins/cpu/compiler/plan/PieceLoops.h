// PieceLoops.h - loops over the pieces of an axis, and the loops in them.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_PIECELOOPS_H
#define NEREID_CPU_COMPILER_PLAN_PIECELOOPS_H

#include "plan/TileProgram.h"

namespace nereid::cpu {

/// Can `inner` run for some lanes of a vector, which may begin anywhere?
bool canMaskLanes(const Inner &inner, const TileProgram &program,
                  const CpuModel &cpu);

/// How many vectors a loop over pieces sums at once. The nest was planned for
/// addresses that are scattered, which takes longer than any sum waits for the
/// one before; in a piece they are neighbours. A short piece has few vectors.
unsigned sumsInPieces(const codegen::MaskPlan &masks, int64_t lanes);

/// Where pieces do not depend on the row, they are found once for all rows:
/// each vector runs through the rows of the nest. That changes the order of
/// elements, which does not matter in scratch. Few vectors compute again what
/// depends on the row only.
void planRowsInside(Nest &nest, codegen::TileForms &forms);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_PIECELOOPS_H
