// The mathematical functions as expressions, on f32 and f64.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Largest errors found by the tests, in units in the last place, with a fused
// multiply-add; without one, at most 0.5 more. They are those of samples:
// scripts/accuracy tests f32 over all inputs.
//
//             f32   f64               f32   f64               f32   f64
//   exp     0.88  0.87     sin     1.22  0.80     erf     1.26  1.01
//   exp2    0.95  0.92     cos     1.22  0.84     erfc    3.98  4.75
//   exp10   1.12  1.10     tan     1.04  1.00     erfcx   3.44  4.86
//   expm1   1.42  1.39     sinpi   1.33  0.87     erfinv  2.05  2.13
//   log     0.88  0.86     cospi   1.31  0.84     erfcinv 2.55  2.59
//   log2    0.98  0.76     asin    1.14  1.19     normcdf 4.20  4.18
//   log10   0.78  0.67     acos    1.15  1.09       -inv  2.84  3.18
//   log1p   0.90  0.83     atan    1.21  1.16     i0, i1  3.87  3.49
//   rsqrt   1.49  1.48     atan2   1.43  1.55     j0, j1  0.50  4.31
//   cbrt    0.50  0.50     sinh    1.08  1.08     y0, y1  0.50  3.08
//   rcbrt   1.49  1.47     cosh    1.08  1.10     asinh   1.21  1.08
//   pow     0.98  1.03     tanh    1.34  1.32     acosh   0.90  0.99
//   norms   0.50  1.45                            atanh   0.97  0.87
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
