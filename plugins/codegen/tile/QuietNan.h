// QuietNan.h - values that are never signalling NaN.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_TILE_QUIETNAN_H
#define NEREID_CODEGEN_TILE_QUIETNAN_H

#include "mlir/IR/Value.h"

namespace nereid::codegen {

/// Is no element of the float \p value a signalling NaN? Arithmetic yields
/// none; what is loaded may be anything.
bool isNeverSignalling(mlir::Value value);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_TILE_QUIETNAN_H
