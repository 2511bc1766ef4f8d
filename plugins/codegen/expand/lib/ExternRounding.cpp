// Arithmetic with directed rounding.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The target rounds to nearest. On which side of that the exact result is, is
// computed without rounding; if it is the wrong side, the next float is used.

#include "Exact.h"
#include "Extern.h"
#include "MathFormat.h"
#include "Rewrites.h"

using namespace mlir;

namespace nereid::codegen {

static Expr nextAbove(Expr x) {
  Expr pattern = bits(x);
  Expr step = asFloat(select(isNegative(x), pattern - 1, pattern + 1));
  return select(x == 0.0, isF32(x) ? 0x1p-149 : 0x1p-1074, step);
}

Expr settle(Direction direction, Expr nearest, Expr side) {
  switch (direction) {
  case Direction::Nearest:
    return nearest;
  case Direction::Down:
    return select(side < 0.0, -nextAbove(-nearest), nearest);
  case Direction::Up:
    return select(side > 0.0, nextAbove(nearest), nearest);
  case Direction::Zero:
    // One unit less, up to the largest number from infinity.
    Expr isTooLarge = ((nearest > 0.0) & (side < 0.0)) |
                      ((nearest < 0.0) & (side > 0.0));
    return select(isTooLarge, asFloat(bits(nearest) - 1), nearest);
  }
  llvm_unreachable("unknown direction");
}

// A sum that is exactly 0 is -0 if rounded down, unless both terms are +0.
static Expr withSignOfZero(Direction direction, Expr sum, Expr isZero,
                           Expr signs) {
  if (direction != Direction::Down)
    return sum;
  return select(isZero, copySign(sum.like(0.0), asFloat(signs)), sum);
}

Expr sumError(Expr x, Expr y, Expr sum) {
  Expr xIsLarger = abs(x) >= abs(y);
  Expr larger = select(xIsLarger, x, y), smaller = select(xIsLarger, y, x);
  return smaller - (sum - larger);
}

Expr addToward(Direction direction, Expr x, Expr y) {
  Expr sum = x + y;
  Expr result = settle(direction, sum, sumError(x, y, sum));
  return withSignOfZero(direction, result, sum == 0.0, bits(x) | bits(y));
}

Expr subtractToward(Direction direction, Expr x, Expr y) {
  return addToward(direction, x, -y);
}

Expr multiplyToward(Direction direction, Expr x, Expr y) {
  Expr product = x * y;
  if (isExactAsF64(x))
    return settle(direction, product, f64Of(x) * f64Of(y) - f64Of(product));
  Scaled a(x), b(y), c(product);
  ExactProduct exact(a.significand, b.significand);
  Expr rounded = c.over(a.exponent + b.exponent);
  Expr side = sideOf(product, (exact.high - rounded) + exact.low,
                     isOrdinary(x) & isOrdinary(y));
  return settle(direction, product, side);
}

Expr divideToward(Direction direction, Expr x, Expr y) {
  Expr quotient = x / y;
  Expr rest = x;
  if (isExactAsF64(x)) {
    rest = f64Of(x) - f64Of(quotient) * f64Of(y);
  } else {
    Scaled a(x), b(y), c(quotient);
    Expr rounded = c.over(a.exponent - b.exponent);
    rest = fma(-rounded, b.significand, a.significand);
  }
  Expr side = select(isNegative(y), -rest, rest);
  if (!isExactAsF64(x))
    side = sideOf(quotient, side, isOrdinary(x) & isOrdinary(y));
  return settle(direction, quotient, side);
}

Expr reciprocalToward(Direction direction, Expr x) {
  return divideToward(direction, x.like(1.0), x);
}

Expr rootToward(Direction direction, Expr x) {
  Expr root = sqrt(x);
  if (isExactAsF64(x)) {
    Expr wide = f64Of(root);
    return settle(direction, root, f64Of(x) - wide * wide);
  }
  // So small that the remainder would be rounded.
  Expr isSmall = x < (isF32(x) ? 0x1p-60 : 0x1p-900);
  double scale = isF32(x) ? 0x1p40 : 0x1p100;
  Expr scaled = select(isSmall, x * scale * scale, x);
  Expr scaledRoot = select(isSmall, root * scale, root);
  return settle(direction, root, fma(-scaledRoot, scaledRoot, scaled));
}

Expr multiplyAddToward(Direction direction, Expr x, Expr y, Expr z) {
  if (direction == Direction::Nearest && x.scope->options.hasFma)
    return fma(x, y, z);
  auto [nearest, side] = roundedMultiplyAdd(x, y, z);
  Expr isZero = (nearest == 0.0) & (side == 0.0);
  return withSignOfZero(direction, settle(direction, nearest, side), isZero,
                        (bits(x) ^ bits(y)) | bits(z));
}

// The reciprocal square root of m, a number from 1 to 4. A first estimate is
// corrected by its exact error. The sign of 1 - m middle^2 decides which of two
// floats is nearer to the result. No f32 has a root so near to a middle that
// two f32 have too few bits for that.
static Expr reciprocalRootOf(Expr m) {
  constexpr double kHalfUnit = 0x1p-25; // of results in [0.5, 1)
  auto terms = [&](Expr y) {
    ExactProduct square(y, y), high(m, square.high);
    Expr rest = (1.0 - high.high) - high.low;
    return rest - m * square.low;
  };
  Expr estimate = 1.0 / sqrt(m);
  Expr correction = 0.5 * (estimate * terms(estimate));
  Expr y = estimate + correction;
  Expr half = copySign(y.like(kHalfUnit), correction - (y - estimate));
  // 1 - m (y + half)^2, the largest terms first.
  ExactProduct square(y, y), high(m, square.high), low(m, square.low),
      mixed(m * (2.0 * half), y);
  Expr sum = 1.0 - high.high, lost = -low.low - m * (half * half);
  for (Expr term : {-high.low, -mixed.high, -low.high, -mixed.low}) {
    Expr next = sum + term;
    lost = lost + sumError(sum, term, next);
    sum = next;
  }
  Expr isBeyond = (sum + lost) * half > 0.0;
  return select(isBeyond, y + 2.0 * half, y);
}

// In f64 the error is small enough: no f32 has a root that near to the middle
// of two floats.
Expr reciprocalRootNearest(Expr x) {
  if (isExactAsF64(x))
    return truncate(1.0 / sqrt(f64Of(x)), x.scope->builder.getF32Type());
  Normalized parts(x);
  Expr isOdd = (parts.exponent & 1) != 0;
  Expr m = select(isOdd, parts.significand * 2.0, parts.significand);
  Expr exponent = shiftSigned(parts.exponent, parts.exponent.like(1));
  Expr result = reciprocalRootOf(m) * powerOfTwo(0 - exponent);
  Expr isRegular = (x > 0.0) & isFinite(x);
  return select(isRegular, result, 1.0 / sqrt(x));
}

} // namespace nereid::codegen
