// Inverse trigonometric functions.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Math.h"
#include "MathFormat.h"

namespace nereid::codegen {

// atan(t) = t + t^3 p(t^2) on [0, 1], relative errors 2^-28, 2^-57.
static constexpr double kAtanF32[] = {
    -0.3333329856, 0.1999853551,   -0.1426412612, 0.1095165461, -0.08402056247,
    0.0579358004,  -0.03115776554, 0.01090453658, -0.001791502};
static constexpr double kAtanF64[] = {
    -0.3333333333333307,     0.19999999999951756,   -0.1428571428258855,
    0.1111111100735493,      -0.09090907008003227,  0.07692279891000552,
    -0.06666404438129865,    0.058805298846729526,  -0.052535270812955864,
    0.047223492737180406,    -0.042192457555029254, 0.036643201134804834,
    -0.0299058087635479,     0.021987149042429332,  -0.013902640588944897,
    0.00719792575897647,     -0.002885627889651036, 0.0008315652318609962,
    -0.00015221219870193814, 1.3230091772371405e-05};
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

// The angle of (x, y) in the first quadrant: above an eighth of a turn, a
// quarter less the angle of (y, x).
static Expr firstQuadrant(Expr y, Expr x) {
  Expr isSteep = y > x;
  Expr t = select(isSteep, x, y) / select(isSteep, y, x);
  t = select(y == 0.0, 0.0, t); // where x may be 0 too
  t = select(isNan(x), x, t);
  Expr z = t * t;
  Expr p = isF32(t) ? horner(z, kAtanF32) : horner(z, kAtanF64);
  Expr tail = t * z * p;
  Pair quarter = halfPi(t);
  return select(isSteep, quarter.high - t, t) +
         select(isSteep, quarter.low - tail, tail);
}

Expr expandAtan(Expr x) {
  return copySign(firstQuadrant(abs(x), x.like(1.0)), x);
}

Expr expandAtan2(Expr y, Expr x) {
  Expr a = abs(y), b = abs(x);
  // Some devices divide inaccurately where the divisor is large or a denormal.
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
  Expr twice = 2.0 * s;
  Expr large = half.high - twice;
  Expr lost = (half.high - large) - twice;
  large = large + (lost + (half.low - 2.0 * tail));
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
