// The mathematical functions as expressions, on f32 and f64.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_EXPAND_MATH_H
#define NEREID_CODEGEN_EXPAND_MATH_H

#include "Expr.h"

namespace nereid::codegen {

Expr expandExp(Expr x);
Expr expandExp2(Expr x);
Expr expandErf(Expr x);
Expr expandLog(Expr x);
Expr expandLog2(Expr x);
Expr expandLog10(Expr x);
Expr expandSin(Expr x);
Expr expandCos(Expr x);
Expr expandRsqrt(Expr x);

/// exp(x) for x so small that neither it nor the result leaves the normal
/// numbers.
Expr expNormal(Expr x);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_EXPAND_MATH_H
