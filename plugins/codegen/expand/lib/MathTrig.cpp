// Trigonometric functions.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Angle.h"
#include "Math.h"
#include "MathFormat.h"

namespace nereid::codegen {

// sin(r) = r + r^3 p(r^2) and cos(r) = 1 - r^2/2 + r^4 p(r^2) on
// [-pi/4, pi/4], with relative errors of at most 2^-28 (f32) and 2^-64 (f64).
static constexpr double kSinF32[] = {-0.1666665487, 0.008332173543,
                                     -0.0001951665581};
static constexpr double kSinF64[] = {
    -0.16666666666666666,   0.008333333333333323,    -0.0001984126984125499,
    2.7557319214149096e-06, -2.5052104900637674e-08, 1.6058365208736192e-10,
    -7.578626366996876e-13};
static constexpr double kCosF32[] = {1.0, -0.5, 0.04166664556, -0.001388731013,
                                     2.443244235e-5};
static constexpr double kCosF64[] = {
    0.041666666666666595,  -0.0013888888888872895, 2.4801587288748457e-05,
    -2.75573141486914e-07, 2.0875696580705088e-09, -1.1358310862771745e-11};

static Expr sinPolynomial(Expr r) {
  Expr z = r * r;
  Expr p = isF32(r) ? horner(z, kSinF32) : horner(z, kSinF64);
  return copySign(fma(z * r, p, r), r); // the sum loses the sign of -0
}

static Expr cosPolynomial(Expr r) {
  Expr z = r * r;
  if (isF32(r))
    return horner(z, kCosF32);
  // 1 - z/2 rounds; what it lost is added to the small rest.
  Expr half = 0.5 * z;
  Expr high = 1.0 - half;
  Expr low = (1.0 - high) - half;
  return high + fma(z * z, horner(z, kCosF64), low);
}

static Expr sinOfQuadrant(Expr quadrant, Expr r) {
  Expr isOdd = (quadrant & 1) != 0;
  Expr y = select(isOdd, cosPolynomial(r), sinPolynomial(r));
  return asFloat(bits(y) ^ ((quadrant & 2) << int64_t(r.width() - 2)));
}

Expr expandSin(Expr x) {
  Angle angle = reduceAngle(x);
  return sinOfQuadrant(angle.quadrant, angle.r);
}

Expr expandCos(Expr x) {
  Angle angle = reduceAngle(x);
  return sinOfQuadrant(angle.quadrant + 1, angle.r);
}

Expr expandTan(Expr x) {
  auto [quadrant, r] = reduceAngle(x);
  Expr sine = sinPolynomial(r), cosine = cosPolynomial(r);
  Expr isOdd = (quadrant & 1) != 0;
  return select(isOdd, -cosine, sine) / select(isOdd, sine, cosine);
}

} // namespace nereid::codegen
