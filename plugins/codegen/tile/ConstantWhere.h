// ConstantWhere.h - the constant that masked-off elements of a tile have.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_TILE_CONSTANTWHERE_H
#define NEREID_CODEGEN_TILE_CONSTANTWHERE_H

#include "analysis/MaskIntervals.h"

namespace nereid::codegen {

/// The constant that `value` is wherever a conjunct of a mask is false, which
/// is at an index of `value`'s; null if it is not known to be one. Looks through
/// masked loads, selections, and what keeps a constant.
mlir::Attribute constantWhere(mlir::Value value, const ConditionAt &condition,
                              TileForms &forms);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_TILE_CONSTANTWHERE_H
