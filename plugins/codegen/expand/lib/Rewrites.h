// The kinds of rewrites, each on one operation.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_EXPAND_REWRITES_H
#define NEREID_CODEGEN_EXPAND_REWRITES_H

#include "Expr.h"

#include <optional>

namespace nereid::codegen {

// Each builds the replacement of the only result of \p op, before it, or
// returns nothing if \p op is not rewritten. None erases \p op.

/// All of the following, in an order in which one may use the next.
std::optional<Expr> expandOperation(Scope &scope, mlir::Operation *op);

/// Arithmetic on floating-point types that the target only stores: as f32,
/// rounded after every operation.
std::optional<Expr> expandNarrow(Scope &scope, mlir::Operation *op);

/// Conversions between floating-point types that are not a single instruction.
std::optional<Expr> expandConversion(Scope &scope, mlir::Operation *op);

/// Functions of the math dialect.
std::optional<Expr> expandMath(Scope &scope, mlir::Operation *op);

/// Arithmetic of `tt` or `arith` that is expanded to simpler operations.
std::optional<Expr> expandArithmetic(Scope &scope, mlir::Operation *op);

/// x / y and the square root of x, f32, correctly rounded on targets whose
/// division has an error of up to 2.5 units in the last place, and whose square
/// root has one of up to 5.
Expr divideRounded(Expr x, Expr y);
Expr sqrtRounded(Expr x);

/// Divisions of integers that round, and powers with an integer exponent.
std::optional<Expr> expandInteger(Scope &scope, mlir::Operation *op);

/// The external functions of ExternFunctions.def.
std::optional<Expr> expandExtern(Scope &scope, mlir::Operation *op);
/// Reports a call of an external function that is unknown or has other types.
mlir::LogicalResult verifyExtern(mlir::Operation *op);

/// \p sum + \p error, its rounding error, rounded to odd: so a second rounding
/// knows on which side of a tie the exact number is.
Expr roundToOdd(Expr sum, Expr error);

/// A rounded float and the side of it on which the exact number is: less than,
/// equal to or more than 0.
struct Rounded {
  Expr nearest, side;
};
/// x * y + z with one rounding in all cases, including subnormal results, on
/// any target.
Rounded roundedMultiplyAdd(Expr x, Expr y, Expr z);

enum class Rounding { ToNearestEven, TowardZero };

/// \p x as a float of \p type. Numbers too large for an fp8 type, including
/// infinities, saturate to its largest number; NaN remains NaN.
Expr convertFloat(Expr x, mlir::FloatType type,
                  Rounding rounding = Rounding::ToNearestEven);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_EXPAND_REWRITES_H
