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

// tan(r) = r + r^3 p(r^2), relative errors of tan(r) 2^-29, 2^-60.
static constexpr double kTanF32[] = {
    0.3333334923, 0.1333267689,    0.05405868217, 0.02128753439,
    0.0108238589, 0.0001028608749, 0.004370413721};
static constexpr double kTanF64[] = {
    0.33333333333333376,   0.13333333333326097,     0.053968253972524236,
    0.0218694884091739,    0.008863237768282805,    0.0035921024522806142,
    0.0014560345764782676, 0.0005889185859974962,   0.0002435607792264362,
    8.404111569913173e-05, 6.635049363382067e-05,   -2.4538217199836944e-05,
    4.772570386273836e-05, -2.3824783604188848e-05, 9.699394600139837e-06};

// The sine of r - excess.
static Expr sinPolynomial(Expr r, Expr excess) {
  Expr z = r * r;
  Expr p = isF32(r) ? horner(z, kSinF32) : horner(z, kSinF64);
  return r - fma(z * r, -p, excess); // the sum would lose the sign of -0
}

static Expr cosPolynomial(Expr r, Expr excess) {
  Expr z = r * r;
  if (isF32(r))
    return fma(excess, r, horner(z, kCosF32));
  // 1 - z/2 rounds; what it lost is added to the small rest.
  Expr half = 0.5 * z;
  Expr high = 1.0 - half;
  Expr lost = (1.0 - high) - half;
  return high + fma(z * z, horner(z, kCosF64), fma(excess, r, lost));
}

static Expr sinOfQuadrant(Expr quadrant, const Angle &angle) {
  Expr isOdd = (quadrant & 1) != 0;
  Expr y = select(isOdd, cosPolynomial(angle.r, angle.excess),
                  sinPolynomial(angle.r, angle.excess));
  return asFloat(bits(y) ^ ((quadrant & 2) << int64_t(y.width() - 2)));
}

Expr expandSin(Expr x) {
  Angle angle = reduceAngle(x);
  return sinOfQuadrant(angle.quadrant, angle);
}

Expr expandCos(Expr x) {
  Angle angle = reduceAngle(x);
  return sinOfQuadrant(angle.quadrant + 1, angle);
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
  Expr sine() const { return sinPolynomial(high, -low); }
  Expr cosine() const { return cosPolynomial(high, -low); }
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

// In odd quadrants -1 / tan(r), with the tangent as a sum of two floats.
Expr expandTan(Expr x) {
  Angle angle = reduceAngle(x);
  Expr r = angle.r, z = r * r;
  Expr p = isF32(r) ? horner(z, kTanF32) : horner(z, kTanF64);
  // The slope of tan(r) is about 1 + 3/2 z.
  Expr excess = angle.excess * fma(z, 1.5, 1.0);
  Expr tail = fma(z * r, p, -excess);
  Expr tangent = r + tail;
  Expr lost = (r - tangent) + tail;
  Expr inverse = -1.0 / tangent;
  Expr rest = fma(inverse, lost, fma(inverse, tangent, 1.0));
  return select((angle.quadrant & 1) != 0, fma(inverse, rest, inverse),
                copySign(tangent, r)); // the sum loses the sign of -0
}

} // namespace nereid::codegen
