// Exponential functions.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// exp(x) = 2^n exp(r) with n the nearest integer to x log2(e), |r| <= ln(2)/2.
// n comes from adding 1.5 * 2^23: it is then in the low bits of the sum.

#include "Math.h"

namespace nereid::codegen {

// The low bits of the sum hold n + 254, so that half of them is the exponent
// field of 2^(n/2), and the rest that of 2^(n - n/2).
static constexpr double kRoundF32 = 0x1.8p23 + 254;
static constexpr double kLog2E = 0x1.71547652b82fep+0;
static constexpr double kLn2HighF32 = 0x1.62e43p-1;
static constexpr double kLn2LowF32 = -0x1.05c61p-29;

// Relative error 2^-28 on [-ln(2)/2, ln(2)/2].
static Expr expPolynomialF32(Expr r) {
  return horner(r, {1.0, 1.0, 0.4999999345, 0.1666652064, 0.04166838814,
                    0.008368716394, 0.001381458802});
}

// Relative error 2^-28 on [-1/2, 1/2].
static Expr exp2PolynomialF32(Expr r) {
  return horner(r, {1.0, 0.6931472029, 0.2402264791, 0.05550332469,
                    0.009618437374, 0.00133988751, 0.0001535335722});
}

// In two factors: 2^n itself may be no normal number where the result is one.
static Expr scaleByPowerF32(Expr significand, Expr rounded) {
  Expr n = bits(rounded);
  Expr half = (n >> 1) << 23;
  Expr rest = (n << 23) - half;
  return significand * asFloat(half) * asFloat(rest);
}

// Beyond these ends the result is 0 or infinity; NaN passes through.
static Expr clamp(Expr x, double low, double high) {
  x = select(x < low, low, x);
  return select(x > high, high, x);
}

struct ReducedF32 {
  Expr rounded;
  Expr r;
};

static ReducedF32 reduceF32(Expr x) {
  Expr rounded = fma(x, kLog2E, kRoundF32);
  Expr n = rounded - kRoundF32;
  Expr r = fma(n, -kLn2HighF32, x);
  return {rounded, fma(n, -kLn2LowF32, r)};
}

Expr expandExp(Expr x) {
  auto [rounded, r] = reduceF32(clamp(x, -104.0, 89.0));
  return scaleByPowerF32(expPolynomialF32(r), rounded);
}

Expr expNormal(Expr x) {
  auto [rounded, r] = reduceF32(x);
  // 254 << 23 wraps to a multiple of 2^32 less 2^24: taken back here.
  Expr exponent = (bits(rounded) - 254) << 23;
  return asFloat(bits(expPolynomialF32(r)) + exponent);
}

Expr expandExp2(Expr x) {
  x = clamp(x, -151.0, 129.0);
  Expr rounded = x + kRoundF32;
  Expr r = x - (rounded - kRoundF32);
  return scaleByPowerF32(exp2PolynomialF32(r), rounded);
}

} // namespace nereid::codegen
