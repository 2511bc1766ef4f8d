// The mathematical functions as expressions, on f32 and f64.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Largest errors found by the tests, in units in the last place, with a fused
// multiply-add; without one, at most 0.3 more.
//
//             f32   f64               f32   f64               f32   f64
//   exp     0.86  0.86     sin     1.48  1.42     erf     1.13  0.99
//   exp2    0.95  0.92     cos     1.50  1.39     erfc    3.87  4.75
//   exp10   1.03  1.10     tan     2.98  2.91     erfcx   3.43  4.86
//   expm1   1.42  1.39     sinpi   1.33  1.18     erfinv  1.87  1.88
//   log     0.81  0.86     cospi   1.25  1.18     erfcinv 2.06  2.13
//   log2    0.83  0.71     asin    1.62  1.57     normcdf 3.70  4.18
//   log10   0.75  0.67     acos    1.06  1.09       -inv  2.53  3.18
//   log1p   1.58  1.33     atan    1.99  2.18     i0, i1  3.26  3.49
//   rsqrt   1.48  1.47     atan2   1.67  1.93     j0, j1  0.50  3.32
//   cbrt    0.50  0.50     sinh    2.11  2.30     y0, y1  0.50  3.08
//   rcbrt   1.46  1.47     cosh    1.24  1.21     asinh   1.75  1.66
//   pow     0.98  1.03     tanh    1.31  1.32     acosh   1.91  1.56
//   norms   0.50  1.45                            atanh   2.09  1.79
//
// J and Y above 8 are accurate to 1e-15, not to the last place.

#ifndef NEREID_CODEGEN_EXPAND_MATH_H
#define NEREID_CODEGEN_EXPAND_MATH_H

#include "Expr.h"

namespace nereid::codegen {

Expr expandExp(Expr x);
Expr expandExp2(Expr x);
Expr expandExp10(Expr x);
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
/// Of pi x.
Expr expandSinPi(Expr x);
Expr expandCosPi(Expr x);
Expr expandAsin(Expr x);
Expr expandAcos(Expr x);
Expr expandAtan(Expr x);
Expr expandAtan2(Expr y, Expr x);

Expr expandErf(Expr x);
Expr expandErfc(Expr x);
/// exp(x^2) erfc(x).
Expr expandErfcx(Expr x);
Expr expandErfInverse(Expr x);
Expr expandErfcInverse(Expr y);
Expr expandNormalCdf(Expr x);
Expr expandNormalCdfInverse(Expr p);
Expr besselJ0(Expr x);
Expr besselJ1(Expr x);
Expr besselY0(Expr x);
Expr besselY1(Expr x);
Expr besselI0(Expr x);
Expr besselI1(Expr x);

Expr expandRsqrt(Expr x);
Expr expandCbrt(Expr x);
Expr expandRcbrt(Expr x);
Expr expandPow(Expr x, Expr y);
/// \p n is an i32.
Expr expandPowInteger(Expr x, Expr n);
/// The length of a vector, and one divided by it.
Expr expandNorm2(Expr x, Expr y);
Expr expandNorm3(Expr x, Expr y, Expr z);
Expr expandNorm4(Expr x, Expr y, Expr z, Expr w);
Expr expandReciprocalNorm2(Expr x, Expr y);
Expr expandReciprocalNorm3(Expr x, Expr y, Expr z);
Expr expandReciprocalNorm4(Expr x, Expr y, Expr z, Expr w);

/// x - trunc(x / y) y, exactly.
Expr expandRemainder(Expr x, Expr y);

/// exp(x) where it is a normal number.
Expr expNormal(Expr x);

/// exp(high + low); of \p low only a few bits are above the last of \p high.
Expr expOfSum(Expr high, Expr low);

/// exp(a^2) erfc(a), a not negative.
Expr scaledErfc(Expr a);

/// A positive number as 2^exponent (1 + fraction), 1 + fraction at least the
/// number of the bits \p least and less than twice that.
struct Split {
  Expr exponent;
  Expr fraction;
};
Split splitAt(Expr x, int64_t least);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_EXPAND_MATH_H
