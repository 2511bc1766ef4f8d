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

// x / 2 in half turns less the nearest multiple of a quarter, all exactly, and
// then times pi as a sum of two floats.
struct HalfTurns {
  explicit HalfTurns(Expr x) : quadrant(x), high(x), low(x) {
    Expr withinTurn = x - 2.0 * roundEven(0.5 * x);
    Expr n = roundEven(withinTurn + withinTurn);
    Expr r = fma(n, -0.5, withinTurn);
    quadrant = toInteger(n);
    Pair pi = isF32(x) ? Pair{0x1.921fb6p+1, -0x1.777a5cp-24}
                       : Pair{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
    ExactProduct product(r, x.like(pi.high));
    high = product.high;
    low = fma(r, pi.low, product.low);
  }
  Expr sine() const { return sinPolynomial(high) + low; }
  Expr cosine() const { return fma(-low, high, cosPolynomial(high)); }
  Expr quadrant, high, low;
};

// At integers 0 with the sign of x.
Expr expandSinPi(Expr x) {
  HalfTurns angle(x);
  Expr isOdd = (angle.quadrant & 1) != 0;
  Expr y = select(isOdd, angle.cosine(), angle.sine());
  y = select((angle.quadrant & 2) != 0, -y, y);
  return select(y == 0.0, copySign(x.like(0.0), x), y);
}

// Between them +0.
Expr expandCosPi(Expr x) {
  HalfTurns angle(x);
  Expr isOdd = (angle.quadrant & 1) != 0;
  Expr y = select(isOdd, angle.sine(), angle.cosine());
  y = select(((angle.quadrant + 1) & 2) != 0, -y, y);
  return select(y == 0.0, 0.0, y);
}

Expr expandTan(Expr x) {
  auto [quadrant, r] = reduceAngle(x);
  Expr sine = sinPolynomial(r), cosine = cosPolynomial(r);
  Expr isOdd = (quadrant & 1) != 0;
  return select(isOdd, -cosine, sine) / select(isOdd, sine, cosine);
}

} // namespace nereid::codegen
