// Magnitude.h - how large an integer can be.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_MAGNITUDE_H
#define NEREID_CODEGEN_MAGNITUDE_H

#include "mlir/IR/Value.h"

namespace nereid::codegen {

/// A number b of bits so that `value`, an integer or a tile of integers, is
/// known to be in [-2^(b-1), 2^(b-1)): at most the width of its type, and less
/// where narrower integers were extended and combined.
unsigned signedBitsOf(mlir::Value value);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_MAGNITUDE_H
