// fp8 and f16 from and to f32 by operations on bits.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_EXPAND_SMALLFLOAT_H
#define NEREID_CODEGEN_EXPAND_SMALLFLOAT_H

#include "Rewrites.h"

namespace nereid::codegen {

/// The f32 of an unsigned pattern in an i32, an exponent of \p bias above
/// \p mantissaBits; all exponents are finite numbers.
Expr magnitudeToF32(Expr magnitude, int mantissaBits, int bias);

/// The value of an fp8 or f16 as f32.
Expr smallFloatToF32(Expr x);

/// The fp8 or f16 of \p type nearest to \p x, or next towards zero. An fp8
/// saturates.
Expr f32ToSmallFloat(Expr x, mlir::FloatType type, Rounding rounding);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_EXPAND_SMALLFLOAT_H
