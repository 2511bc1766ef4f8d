// ConstantWhere.h - the constant that masked-off elements of a tile have.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_TILE_CONSTANTWHERE_H
#define NEREID_CODEGEN_TILE_CONSTANTWHERE_H

#include "analysis/TileForm.h"

namespace nereid::codegen {

/// The constant that `value` is wherever `condition`, a conjunct of a mask
/// (MaskIntervals.h), is false; null if it is not known to be one. Looks
/// through masked loads, selections, and what keeps a constant.
mlir::Attribute constantWhere(mlir::Value value, mlir::Value condition,
                              TileForms &forms);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_TILE_CONSTANTWHERE_H
