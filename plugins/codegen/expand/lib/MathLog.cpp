// Logarithms.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// x = 2^e (1 + f) with 1 + f in [2/3, 4/3), and a polynomial for log(1 + f).

#include "Math.h"

#include <limits>

namespace nereid::codegen {

struct SplitF32 {
  Expr exponent;
  Expr fraction;
};

static SplitF32 splitF32(Expr x) {
  constexpr int32_t kTwoThirds = 0x3f2aaaab;
  // A denormal is made normal first.
  Expr isSmall = x < 0x1p-126;
  Expr pattern = bits(select(isSmall, x * 0x1p23, x));
  Expr field = (pattern - kTwoThirds) & int32_t(0xff800000);
  Expr fraction = asFloat(pattern - field) - 1.0;
  Expr exponent = toFloat(shiftSigned(field, field.like(23)));
  return {select(isSmall, exponent - 23.0, exponent), fraction};
}

// log(1 + f) = f + f^2 (f p - 1/2), relative error 2^-27.
static Expr log1pTailF32(Expr f) {
  Expr p =
      horner(f, {-0.5, 0.3333321599, -0.24999798, 0.2001040553, -0.1668046649,
                 0.1400587047, -0.1218458361, 0.1398445721, -0.1289023159});
  return p * (f * f);
}

// The logarithm of what has one: 0, negative, infinite numbers and NaN apart.
static Expr withSpecialCases(Expr x, Expr result) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Expr isRegular = lessUnsigned(bits(x) - 1, bits(x.like(kInfinity)) - 1);
  Expr special = select(x == 0.0, -kInfinity, x);
  special = select(x < 0.0, kNan, special);
  return select(isRegular, result, special);
}

Expr expandLog(Expr x) {
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  auto [exponent, f] = splitF32(x);
  return withSpecialCases(x, fma(exponent, kLn2, f + log1pTailF32(f)));
}

// The factor in two parts keeps the result exact to the last place near x = 1.
static Expr logOfBase(Expr x, double high, double low, double exponentFactor) {
  auto [exponent, f] = splitF32(x);
  Expr tail = log1pTailF32(f);
  Expr small = fma(f, low, tail * high);
  Expr fraction = fma(f, high, small);
  return withSpecialCases(x, fma(exponent, exponentFactor, fraction));
}

Expr expandLog2(Expr x) {
  return logOfBase(x, 0x1.715476p+0, 0x1.4ae0cp-26, 1.0);
}

Expr expandLog10(Expr x) {
  return logOfBase(x, 0x1.bcb7b2p-2, -0x1.5b235ep-27, 0x1.34413509f79ffp-2);
}

} // namespace nereid::codegen
