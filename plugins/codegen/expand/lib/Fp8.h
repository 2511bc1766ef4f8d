// The four fp8 types from and to f32.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_EXPAND_FP8_H
#define NEREID_CODEGEN_EXPAND_FP8_H

#include "Rewrites.h"

namespace nereid::codegen {

/// The f32 of the same value.
Expr fp8ToF32(Expr x);

/// The fp8 of \p type nearest to \p x, or next towards zero. Saturates.
Expr f32ToFp8(Expr x, mlir::FloatType type, Rounding rounding);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_EXPAND_FP8_H
