// Inverse trigonometric functions.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Math.h"
#include "MathFormat.h"

namespace nereid::codegen {

// atan(t) = t + t^3 p(t^2) on [0, sqrt(2) - 1], relative errors 2^-30, 2^-59.
static constexpr double kAtanF32[] = {-0.3333331534199716, 0.19998478559075064,
                                      -0.142436286330878, 0.10594276637818267,
                                      -0.06078856251400002};
static constexpr double kAtanF64[] = {
    -0.333333333333332,   0.1999999999995322,   -0.14285714280157502,
    0.11111110781403782,  -0.09090897695548288, 0.07692059053525527,
    -0.06663090209261407, 0.05847783920131729,  -0.05038808862648852,
    0.038051438204141204, -0.017892277640181756};
// asin(s) = s + s^3 p(s^2) on [0, 1/2], relative errors 2^-27, 2^-56.
static constexpr double kAsinF32[] = {0.16666754121998906, 0.07495232783786723,
                                      0.0454783388338607, 0.024140991240177222,
                                      0.04223055770695554};
static constexpr double kAsinF64[] = {
    0.16666666666665375,  0.07500000000344777,   0.04464285682199172,
    0.03038195939496081,  0.022371751947929938,  0.017359795515559072,
    0.013884351457665315, 0.012174937428730753,  0.006503534054013967,
    0.019594321799139235, -0.016326688294867213, 0.031981702421818504};

static Pair halfPi(Expr x) {
  return isF32(x) ? Pair{0x1.921fb6p+0, -0x1.777a5cp-25}
                  : Pair{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
}

// The angle of (x, y) in the first quadrant: turned back by a half or a
// quarter of it as long as it is more than an eighth.
static Expr firstQuadrant(Expr y, Expr x) {
  constexpr double kTan3 = 2.414213562373095, kTan1 = 0.41421356237309503;
  Expr isSteep = y > x * kTan3;
  Expr isMiddle = y > x * kTan1;
  Expr numerator = select(isMiddle, y - x, y);
  numerator = select(isSteep, -x, numerator);
  Expr denominator = select(isMiddle, y + x, x);
  denominator = select(isSteep, y, denominator);
  Expr t = numerator / denominator;
  t = select(y == 0.0, 0.0, t); // where x may be 0 too
  t = select(isNan(x), x, t);
  Expr z = t * t;
  Expr p = isF32(t) ? horner(z, kAtanF32) : horner(z, kAtanF64);
  Expr angle = fma(t * z, p, t);
  Pair quarter = halfPi(t);
  Expr low = select(isMiddle, t.like(quarter.low / 2), t.like(0.0));
  Expr high = select(isMiddle, t.like(quarter.high / 2), t.like(0.0));
  low = select(isSteep, quarter.low, low);
  high = select(isSteep, quarter.high, high);
  return high + (angle + low);
}

Expr expandAtan(Expr x) {
  return copySign(firstQuadrant(abs(x), x.like(1.0)), x);
}

Expr expandAtan2(Expr y, Expr x) {
  Expr a = abs(y), b = abs(x);
  // Neither their sum nor a small multiple may be too large, or be rounded as
  // a denormal.
  double large = isF32(x) ? 0x1p100 : 0x1p1000;
  Expr isLarge = (a > large) | (b > large);
  Expr isSmall = (a < 1.0 / large) & (b < 1.0 / large);
  Expr scale = select(isLarge, x.like(0.125), x.like(1.0));
  scale = select(isSmall, 0x1p60, scale);
  a = a * scale;
  b = b * scale;
  // Two infinities lie at an eighth of a turn.
  Expr isDiagonal = (a == kInfinity) & (b == kInfinity);
  Expr angle =
      firstQuadrant(select(isDiagonal, 1.0, a), select(isDiagonal, 1.0, b));
  Pair half = halfPi(x);
  Expr turned = 2.0 * half.high - (angle - 2.0 * half.low);
  Expr isLeft = bits(x) < 0;
  return copySign(select(isLeft, turned, angle), y);
}

static Expr asinTail(Expr s, Expr z) {
  Expr p = isF32(s) ? horner(z, kAsinF32) : horner(z, kAsinF64);
  return s * z * p;
}

// Above 1/2 by asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)).
Expr expandAsin(Expr x) {
  Expr a = abs(x);
  Expr isLarge = a > 0.5;
  Expr z = select(isLarge, fma(a, -0.5, 0.5), a * a);
  Expr s = select(isLarge, sqrt(z), a);
  Expr tail = asinTail(s, z);
  Pair half = halfPi(x);
  Expr large = half.high - (2.0 * s - (half.low - 2.0 * tail));
  return copySign(select(isLarge, large, s + tail), x);
}

Expr expandAcos(Expr x) {
  Expr a = abs(x);
  Expr isLarge = a > 0.5;
  Expr z = select(isLarge, fma(a, -0.5, 0.5), a * a);
  Expr s = select(isLarge, sqrt(z), x);
  Expr tail = asinTail(s, z);
  Pair half = halfPi(x);
  Expr small = half.high - (s - (half.low - tail));
  Expr right = 2.0 * (s + tail);
  Expr left = 2.0 * (half.high - (s - (half.low - tail)));
  return select(isLarge, select(x < 0.0, left, right), small);
}

} // namespace nereid::codegen
