// The mathematical functions as expressions, on f32 and f64.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_EXPAND_MATH_H
#define NEREID_CODEGEN_EXPAND_MATH_H

#include "Expr.h"

namespace nereid::codegen {

Expr expandExp(Expr x);
Expr expandExp2(Expr x);
Expr expandExpm1(Expr x);
Expr expandSinh(Expr x);
Expr expandCosh(Expr x);
Expr expandTanh(Expr x);

Expr expandLog(Expr x);
Expr expandLog2(Expr x);
Expr expandLog10(Expr x);
Expr expandLog1p(Expr x);
Expr expandAsinh(Expr x);
Expr expandAcosh(Expr x);
Expr expandAtanh(Expr x);

Expr expandSin(Expr x);
Expr expandCos(Expr x);
Expr expandTan(Expr x);
Expr expandAsin(Expr x);
Expr expandAcos(Expr x);
Expr expandAtan(Expr x);
Expr expandAtan2(Expr y, Expr x);

Expr expandErf(Expr x);
Expr expandRsqrt(Expr x);
Expr expandCbrt(Expr x);
Expr expandPow(Expr x, Expr y);

/// exp(x) where it is a normal number.
Expr expNormal(Expr x);

/// exp(high + low); of \p low only a few bits are above the last of \p high.
Expr expOfSum(Expr high, Expr low);

/// A positive number as 2^exponent (1 + fraction), 1 + fraction at least the
/// number of the bits \p least and less than twice that.
struct Split {
  Expr exponent;
  Expr fraction;
};
Split splitAt(Expr x, int64_t least);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_EXPAND_MATH_H
