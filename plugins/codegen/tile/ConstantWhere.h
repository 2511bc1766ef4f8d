// ConstantWhere.h - the constant that masked-off elements of a tile have.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_TILE_CONSTANTWHERE_H
#define NEREID_CODEGEN_TILE_CONSTANTWHERE_H

#include "analysis/MaskIntervals.h"

namespace nereid::codegen {

/// The constant that `value` equals wherever `condition`, a conjunct of a mask
/// at an index of `value`, is false; null if unknown. Looks through masked
/// loads, selections, and operations that map constants to constants.
mlir::Attribute constantWhere(mlir::Value value, const ConditionAt &condition,
                              TileForms &forms);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_TILE_CONSTANTWHERE_H
