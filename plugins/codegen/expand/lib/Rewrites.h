// The kinds of rewrites, each on one operation.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_EXPAND_REWRITES_H
#define NEREID_CODEGEN_EXPAND_REWRITES_H

#include "Expr.h"

#include <optional>

namespace nereid::codegen {

// Each builds what replaces the only result of \p op, before it, or returns
// nothing if \p op is to stay. None erases \p op.

/// All of the following, in the order that lets one rely on the next.
std::optional<Expr> expandOperation(Scope &scope, mlir::Operation *op);

/// Arithmetic on floating-point types that the target only stores: as f32,
/// rounded after every operation.
std::optional<Expr> expandNarrow(Scope &scope, mlir::Operation *op);

/// Conversions between floating-point types that are no single instruction.
std::optional<Expr> expandConversion(Scope &scope, mlir::Operation *op);

/// Functions of the math dialect.
std::optional<Expr> expandMath(Scope &scope, mlir::Operation *op);

/// Arithmetic that is named by `tt` or `arith` and made of simpler operations.
std::optional<Expr> expandArithmetic(Scope &scope, mlir::Operation *op);

/// Divisions of integers that round, and powers with an integer exponent.
std::optional<Expr> expandInteger(Scope &scope, mlir::Operation *op);

/// The external functions of ExternFunctions.def.
std::optional<Expr> expandExtern(Scope &scope, mlir::Operation *op);
/// Reports a call of an external function that is not known or has other types.
mlir::LogicalResult verifyExtern(mlir::Operation *op);

/// \p sum + \p error, where the error is what rounding took from the sum,
/// rounded to odd: so a second rounding sees on which side of a tie it lies.
Expr roundToOdd(Expr sum, Expr error);

/// A float and on which side of it the exact number lies that it was rounded
/// from: less than, equal to or more than 0.
struct Rounded {
  Expr nearest, side;
};
/// x * y + z with one rounding in all cases, subnormal results too, whatever
/// the target has.
Rounded roundedMultiplyAdd(Expr x, Expr y, Expr z);

enum class Rounding { ToNearestEven, TowardZero };

/// \p x as a float of \p type. What is too large for an fp8 type becomes its
/// largest number, infinities too; NaN stays NaN.
Expr convertFloat(Expr x, mlir::FloatType type,
                  Rounding rounding = Rounding::ToNearestEven);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_EXPAND_REWRITES_H
