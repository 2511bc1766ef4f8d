// Bessel functions of the orders 0 and 1.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Below 8 one polynomial an interval, times the distance from its zero, so that
// the result is right even beside zeros. From 8 on, a sine of slowly varying
// phase and amplitude. All in f64 where there is one: in f32 the errors are some
// units of the last place.

#include "Extern.h"
#include "Math.h"
#include "MathBesselTables.h"
#include "MathFormat.h"

namespace nereid::codegen {

/// A part of a function, from \p low to \p high.
struct Piece {
  double low, high;
  Pair zero; // 0 if there is none
  llvm::ArrayRef<double> coefficients;
};

static Expr evaluate(const Piece &piece, Expr x) {
  double width = piece.high - piece.low;
  double shift = (piece.high + piece.low) / width;
  Expr p = horner(fma(x, 2.0 / width, x.like(-shift)), piece.coefficients);
  auto [high, low] = piece.zero;
  if (high == 0.0)
    return p;
  if (isF32(x)) {
    double rounded = static_cast<float>(high);
    low += high - rounded;
    high = rounded;
  }
  return ((x - high) - low) * p;
}

// \p first, and from the lower end of each piece on, that piece.
static Expr evaluate(Expr first, llvm::ArrayRef<Piece> pieces, Expr x) {
  for (const Piece &piece : pieces)
    first = select(x > piece.low, evaluate(piece, x), first);
  return first;
}

/// sqrt(2 / (pi x)) times the parts of Hankel's expansion, and the sine and
/// cosine of x - pi/4 or, for order 1, x - 3 pi/4.
struct Wave {
  Wave(Expr x, int order)
      : real(x), imaginary(x), sine(x), cosine(x) {
    Expr u = 8.0 / x, q = u * u;
    Expr amplitude = 0.5641895835477563 / sqrt(x); // 1 / sqrt(pi x)
    real = amplitude * (order == 0 ? horner(q, kP0) : horner(q, kP1));
    imaginary = amplitude * u * (order == 0 ? horner(q, kQ0) : horner(q, kQ1));
    Expr s = expandSin(x), c = expandCos(x);
    sine = order == 0 ? s - c : -(s + c);
    cosine = order == 0 ? s + c : s - c;
  }

  Expr first() const { return real * cosine - imaginary * sine; }
  Expr second() const { return real * sine + imaginary * cosine; }

  Expr real, imaginary, sine, cosine;
};

// Sines of infinity are none, but the amplitude is 0.
static Expr join(Expr x, Expr below, Expr wave) {
  return select(x < 8.0, below, select(x == kInfinity, 0.0, wave));
}

using Function = Expr (*)(Expr);

static Expr inF64(Function function, Expr x) {
  if (!isF32(x) || !x.scope->options.hasF64)
    return function(x);
  mlir::Builder &b = x.scope->builder;
  return truncate(function(extend(x, b.getF64Type())), b.getF32Type());
}

static Expr j0(Expr x) {
  static constexpr Pair kZeros[] = {
      {0x1.33d152e971b4p+1, -0x1.0f539d7da258ep-53},
      {0x1.6148f5b2c2e45p+2, 0x1.75054cd60a517p-54}};
  const Piece first = {0.0, 4.0, kZeros[0], kJ0Below4};
  const Piece rest[] = {{4.0, 6.5, kZeros[1], kJ0Below6},
                        {6.5, 8.0, {0.0, 0.0}, kJ0Below8}};
  Expr a = abs(x);
  return join(a, evaluate(evaluate(first, a), rest, a), Wave(a, 0).first());
}

static Expr j1(Expr x) {
  const Piece pieces[] = {
      {2.0, 5.5, {0x1.ea75575af6f09p+1, -0x1.60155a9d1b256p-53}, kJ1Below5},
      {5.5, 8.0, {0x1.c0ff5f3b4725p+2, -0x1.b226d9d243827p-54}, kJ1Below8}};
  Expr a = abs(x);
  Expr small = a * horner(a * a, kJ1Below2);
  Expr result = join(a, evaluate(small, pieces, a), Wave(a, 1).first());
  return select(isNegative(x), -result, result);
}

constexpr double kTwoOverPi = 0.6366197723675814;

static Expr y0(Expr x) {
  const Piece pieces[] = {
      {0.75, 2.0, {0x1.c982eb8d417eap-1, 0x1.ea9d270347f83p-56}, kY0Below2},
      {2.0, 5.0, {0x1.fa9534d98569cp+1, -0x1.f06ae7804384ep-54}, kY0Below5},
      {5.0, 8.0, {0x1.c581dc4e72103p+2, -0x1.9774a495f56cfp-54}, kY0Below8}};
  Expr z = x * x;
  Expr logarithm = kTwoOverPi * expandLog(x);
  Expr small = fma(logarithm, horner(z, kJ0BelowHalf), horner(z, kY0Regular));
  return join(x, evaluate(small, pieces, x), Wave(x, 0).second());
}

static Expr y1(Expr x) {
  const Piece pieces[] = {
      {1.6, 3.75, {0x1.193bed4dff243p+1, -0x1.bd1e50d219bfdp-55}, kY1Below4},
      {3.75, 6.0, {0x1.5b7fe4e87b02ep+2, 0x1.dfe7bac228e8cp-52}, kY1Below6},
      {6.0, 8.0, {0.0, 0.0}, kY1Below8}};
  Expr z = x * x;
  Expr logarithm = kTwoOverPi * expandLog(x);
  Expr regular = fma(logarithm, horner(z, kJ1Below2), horner(z, kY1Regular));
  Expr small = fma(x, regular, -kTwoOverPi / x);
  Expr result = join(x, evaluate(small, pieces, x), Wave(x, 1).second());
  return select(x == 0.0, -kInfinity, result);
}

Expr besselJ0(Expr x) { return inF64(j0, x); }
Expr besselJ1(Expr x) { return inF64(j1, x); }
Expr besselY0(Expr x) { return inF64(y0, x); }
Expr besselY1(Expr x) { return inF64(y1, x); }

} // namespace nereid::codegen
