// Trigonometric functions.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Math.h"

namespace nereid::codegen {

/// An angle as quadrant * pi/2 + r, |r| <= pi/4; the quadrant modulo 4.
struct Angle {
  Expr quadrant;
  Expr r;
};

static Angle reduceAngleF32(Expr x) {
  constexpr double kRound = 0x1.8p23;
  Expr rounded = fma(x, 0x1.45f306dc9c883p-1, kRound);
  Expr n = rounded - kRound;
  // pi/2 in three parts of 24 bits.
  Expr r = fma(n, -0x1.921fb6p+0, x);
  r = fma(n, 0x1.777a5cp-25, r);
  r = fma(n, 0x1.ee59dap-50, r);
  return {bits(rounded), r};
}

// Relative error 2^-28 on [-pi/4, pi/4].
static Expr sinPolynomialF32(Expr r) {
  Expr z = r * r;
  Expr p = horner(z, {-0.1666665487, 0.008332173543, -0.0001951665581});
  return copySign(fma(z * r, p, r), r); // the sum loses the sign of -0
}

// Relative error 2^-33 on [-pi/4, pi/4].
static Expr cosPolynomialF32(Expr r) {
  Expr z = r * r;
  return horner(z, {1.0, -0.5, 0.04166664556, -0.001388731013, 2.443244235e-5});
}

static Expr sinOfQuadrant(Expr quadrant, Expr r) {
  Expr isOdd = (quadrant & 1) != 0;
  Expr y = select(isOdd, cosPolynomialF32(r), sinPolynomialF32(r));
  return asFloat(bits(y) ^ ((quadrant & 2) << 30));
}

Expr expandSin(Expr x) {
  auto [quadrant, r] = reduceAngleF32(x);
  return sinOfQuadrant(quadrant, r);
}

Expr expandCos(Expr x) {
  auto [quadrant, r] = reduceAngleF32(x);
  return sinOfQuadrant(quadrant + 1, r);
}

} // namespace nereid::codegen
