// Inverses of the error functions.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// With w = -log(1 - x^2), erfinv(x) / x is a polynomial in w around the middle.
// In the tails a polynomial in 1 / sqrt(w) is a first guess, which one step of
// Halley makes right: there log(erfc(x)) is nearly a parabola.

#include "Extern.h"
#include "Math.h"
#include "MathFormat.h"

namespace nereid::codegen {

// erfinv(x) / x of w - 3.125 for w in [0, 6.25], relative errors 2^-26, 2^-54.
static constexpr double kMiddleF32[] = {
    1.653654575, 0.2401581854, -0.006033683196, -0.0007406987133,
    0.0001867593965, -1.388702003e-05, -1.379974265e-06, 4.256627903e-07,
    -2.565287716e-08, -4.607646709e-09, 6.983680856e-10};
static constexpr double kMiddleF64[] = {
    1.6536545626831027, 0.2401581824255883, -0.00603367087142785,
    -0.000740702534154477, 0.00018673420802464837, -1.3882523394405316e-05,
    -1.3654691850603575e-06, 4.234788173782339e-07, -2.9070382262927266e-08,
    -4.11266082002324e-09, 1.0512181539804126e-09, -5.414287198084716e-11,
    -1.2976885526532075e-11, 2.6304834740560442e-12, -8.118399443074353e-14,
    -4.001237735091896e-14, 6.596407712420834e-15, -4.0282154327661744e-17,
    -1.3016928016796445e-16, 1.557432024623325e-17, 1.150022252066253e-18,
    -3.4996044354754177e-19, -1.113483769832702e-21, 3.240704459379902e-21};
// erfinv(x) / (x sqrt(w)) of 1 / sqrt(w) - 0.2 for w in [6.25, 756], relative
// error 2^-20.
static constexpr double kTail[] = {
    0.9699808000597717, -0.20158045535543864, -0.01661482072044944,
    0.7548912957309095, -1.3868757927745206, 2.023306412365248,
    9.850468085631107, 59.56399296453829, -188.23736373304735};

constexpr double kMiddle = 6.25;

static Expr middle(Expr x, Expr w) {
  Expr v = w - kMiddle / 2;
  return x * (isF32(x) ? horner(v, kMiddleF32) : horner(v, kMiddleF64));
}

// The number of which log(erfc) is \p logarithm, x being nearly 1.
static Expr tail(Expr x, Expr w, Expr logarithm) {
  Expr root = sqrt(w);
  Expr guess = x * root * horner(1.0 / root - 0.2, kTail);
  // f(t) = t^2 - log(exp(t^2) erfc(t)) + logarithm, f''/f' = f' - 2 t.
  Expr scaled = scaledErfc(guess);
  Expr f = fma(guess, guess, logarithm) - expandLog(scaled);
  Expr slope = 1.1283791670955126 / scaled;
  Expr step = f / slope;
  Expr bend = 0.5 * step * (slope - (guess + guess));
  return guess - step / (1.0 - bend);
}

Expr expandErfInverse(Expr x) {
  Expr a = abs(x);
  Expr w = -expandLog(fma(-a, a, 1.0));
  Expr result = select(w <= kMiddle, middle(a, w),
                       tail(a, w, expandLog(1.0 - a)));
  return copySign(select(a == 1.0, kInfinity, result), x);
}

Expr expandErfcInverse(Expr y) {
  Expr isLeft = y > 1.0;
  Expr area = select(isLeft, 2.0 - y, y);
  Expr x = 1.0 - area;
  Expr w = -expandLog(area * (2.0 - area));
  Expr result =
      select(w <= kMiddle, middle(x, w), tail(x, w, expandLog(area)));
  result = select(area == 0.0, kInfinity, result);
  return select(isLeft, -result, result);
}

Expr expandNormalCdfInverse(Expr p) {
  constexpr double kRootOfTwo = 1.4142135623730951;
  return -kRootOfTwo * expandErfcInverse(p + p);
}

} // namespace nereid::codegen
