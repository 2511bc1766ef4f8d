// The complementary error function and the distribution of normal numbers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// exp(a^2) erfc(a) of a >= 0 varies little: (1 + 2 a) times it is a polynomial
// in (a - k) / (a + k), for all a. Squares in exponents are sums of two floats.

#include "Extern.h"
#include "Math.h"
#include "MathFormat.h"

namespace nereid::codegen {

// (1 + 2 a) exp(a^2) erfc(a) of (a - k) / (a + k), relative errors 2^-26 with
// k = 2, 2^-54 with k = 4.
static constexpr double kComplementF32[] = {
    1.276978374, -0.0927637592, -0.1660303921, 0.1640494019, -0.05422018468,
    -0.008018636145, 0.008724294603, 0.001216665492, -0.001463511726,
    -0.0003571778943, 0.0002211054525, 6.310018216e-05, -2.010893149e-05};
static constexpr double kComplementF64[] = {
    1.2329951186255526, -0.13962111684056228, 0.015379652102619974,
    0.06809705425466839, -0.10103906603631811, 0.09373283499911264,
    -0.06633036581186058, 0.037167515526338006, -0.01619773406293477,
    0.005031970069102256, -0.0007577732435942576, -0.0001992571524726518,
    0.00015062142608651945, -2.4397731143023292e-05, -1.1221135665965907e-05,
    5.70657829924074e-06, 2.9173425573089733e-07, -8.210647933297337e-07,
    7.771943241086912e-08, 1.0631817593818149e-07, -2.0725802488181963e-08,
    -1.2338731403798444e-08, 3.2323973445082033e-09, 9.297625263709659e-10,
    -2.764120233734578e-10};

Expr scaledErfc(Expr a) {
  double k = isF32(a) ? 2.0 : 4.0;
  // Infinity over infinity is none.
  Expr bounded = select(a > 0x1p60, 0x1p60, a);
  Expr t = (bounded - k) / (bounded + k);
  Expr half = isF32(a) ? horner(t, kComplementF32, 0.5)
                       : horner(t, kComplementF64, 0.5);
  return half / (a + 0.5);
}

// exp(factor a^2), where the factor is a power of two.
static Expr expOfSquare(Expr a, double factor) {
  ExactProduct square(a, a);
  return expOfSum(factor * square.high, factor * square.low);
}

Expr expandErfcx(Expr x) {
  Expr a = abs(x);
  Expr right = scaledErfc(a);
  // From there on, exp(x^2) is infinite.
  Expr power = expOfSquare(select(a > 30.0, 30.0, a), 1.0);
  return select(x < 0.0, (power + power) - right, right);
}

Expr expandErfc(Expr x) {
  Expr a = abs(x);
  // From there on, it is 0.
  Expr bounded = select(a > 28.0, 28.0, a);
  Expr right = expOfSquare(bounded, -1.0) * scaledErfc(bounded);
  return select(x < 0.0, 2.0 - right, right);
}

// erfc(-x / sqrt(2)) / 2; the square of the quotient is x^2 / 2 exactly.
Expr expandNormalCdf(Expr x) {
  constexpr double kRootOfHalf = 0.7071067811865476;
  Expr a = abs(x);
  Expr bounded = select(a > 40.0, 40.0, a);
  Expr left =
      expOfSquare(bounded, -0.5) * (0.5 * scaledErfc(bounded * kRootOfHalf));
  return select(x < 0.0, left, 1.0 - left);
}

} // namespace nereid::codegen
