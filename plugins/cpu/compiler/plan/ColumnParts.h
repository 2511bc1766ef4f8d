// ColumnParts.h - divided indices along the last dimension of tiles.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_COLUMNPARTS_H
#define NEREID_CPU_COMPILER_PLAN_COLUMNPARTS_H

#include "nereid/ttir/Dialect.h"

#include <array>
#include <cstdint>

namespace nereid::cpu {

/// Grids with at most so many programs along x, y and z.
using GridLimits = std::array<uint32_t, 3>;
inline constexpr GridLimits kAnyGrid = {UINT32_MAX, UINT32_MAX, UINT32_MAX};

/// Replaces quotients and remainders of column numbers by powers of two that
/// are less than the tile, as `columns // 8` of packed integers, by bits of the
/// index: those that are bits in any grid.
void splitColumns(tt::FuncOp kernel);

/// The grids in which others are bits as well; kAnyGrid if there are none.
GridLimits gridsOfSplitColumns(tt::FuncOp kernel);

/// Replaces these, too: `kernel` is then for gridsOfSplitColumns().
void splitColumnsOfGrid(tt::FuncOp kernel);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_COLUMNPARTS_H
