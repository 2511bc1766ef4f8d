// Arithmetic rounded in a direction.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The target rounds to nearest. On which side of that the exact result lies is
// found without rounding, and if it is the wrong one the next float is taken.
// What two f32 make, f64 holds exactly. Of f64, products and remainders are
// exact as sums of two as long as no exponent comes near an end: so they are
// made of significands, beside which exponents are kept apart.

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

static Expr f64Of(Expr x) { return extend(x, x.scope->builder.getF64Type()); }

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

/// A finite f64 as a significand and an exponent; 0 has the significand 0.
struct Scaled : Normalized {
  explicit Scaled(Expr x) : Normalized(x) {
    significand = select(x == 0.0, 0.0, significand);
  }
  /// The number divided by 2^n, unless it is beyond 2^300 or below 2^-300:
  /// there it is some number as large or small.
  Expr over(Expr n) const {
    Expr difference = exponent - n;
    difference = select(difference > 300, difference.like(300), difference);
    difference = select(difference < -300, difference.like(-300), difference);
    return significand * powerOfTwo(difference);
  }
};

// The side of an f64 whose own exact difference is \p difference: infinite
// results of finite operands are too large, all others of such are exact.
static Expr sideOf(Expr result, Expr difference, Expr isOrdinary) {
  Expr side = select(isInfinite(result), -result, difference);
  return select(isOrdinary, side, 0.0);
}

static Expr isOrdinary(Expr x) { return isFinite(x) & (x != 0.0); }

Expr multiplyToward(Direction direction, Expr x, Expr y) {
  Expr product = x * y;
  if (isF32(x))
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
  if (isF32(x)) {
    rest = f64Of(x) - f64Of(quotient) * f64Of(y);
  } else {
    Scaled a(x), b(y), c(quotient);
    Expr rounded = c.over(a.exponent - b.exponent);
    rest = fma(-rounded, b.significand, a.significand);
  }
  Expr side = select(isNegative(y), -rest, rest);
  if (!isF32(x))
    side = sideOf(quotient, side, isOrdinary(x) & isOrdinary(y));
  return settle(direction, quotient, side);
}

Expr reciprocalToward(Direction direction, Expr x) {
  return divideToward(direction, x.like(1.0), x);
}

Expr rootToward(Direction direction, Expr x) {
  Expr root = sqrt(x);
  if (isF32(x)) {
    Expr wide = f64Of(root);
    return settle(direction, root, f64Of(x) - wide * wide);
  }
  // So small that the remainder would be rounded.
  Expr isSmall = x < 0x1p-900;
  Expr scaled = select(isSmall, x * 0x1p200, x);
  Expr scaledRoot = select(isSmall, root * 0x1p100, root);
  return settle(direction, root, fma(-scaledRoot, scaledRoot, scaled));
}

/// A result as the target rounds it, and on which side of it the exact one is.
struct Rounded {
  Expr nearest, side;
};

static Rounded multiplyAddF32(Expr x, Expr y, Expr z) {
  Expr product = f64Of(x) * f64Of(y), addend = f64Of(z);
  Expr sum = product + addend;
  Expr error = sumError(product, addend, sum);
  FloatType f32 = x.scope->builder.getF32Type();
  Expr nearest = x.scope->options.hasFma
                     ? fma(x, y, z)
                     : truncate(roundToOdd(sum, error), f32);
  Expr difference = sum - f64Of(nearest);
  return {nearest, select(difference == 0.0, error, difference)};
}

// The sign of the error of a fused multiply-add (Boldo, Muller).
static Rounded multiplyAddF64(Expr x, Expr y, Expr z) {
  Expr nearest = x.scope->options.hasFma ? fma(x, y, z)
                                         : callLibrary("fma", {x, y, z});
  Scaled a(x), b(y), c(z), d(nearest);
  Expr exponent = a.exponent + b.exponent;
  ExactProduct product(a.significand, b.significand);
  Expr addend = c.over(exponent);
  Expr low = addend + product.low;
  Expr sum = product.high + low;
  Expr rest = (sum - d.over(exponent)) + sumError(product.high, low, sum);
  Expr side = rest + sumError(addend, product.low, low);
  Expr isOrdinarySum = isOrdinary(x) & isOrdinary(y) & isFinite(z);
  return {nearest, sideOf(nearest, side, isOrdinarySum)};
}

Expr multiplyAddToward(Direction direction, Expr x, Expr y, Expr z) {
  if (direction == Direction::Nearest && x.scope->options.hasFma)
    return fma(x, y, z);
  auto [nearest, side] =
      isF32(x) ? multiplyAddF32(x, y, z) : multiplyAddF64(x, y, z);
  Expr isZero = (nearest == 0.0) & (side == 0.0);
  return withSignOfZero(direction, settle(direction, nearest, side), isZero,
                        (bits(x) ^ bits(y)) | bits(z));
}

// No f32 has a root so near to the middle of two that f64 would not do.
Expr reciprocalRootNearest(Expr x) {
  return truncate(1.0 / sqrt(f64Of(x)), x.scope->builder.getF32Type());
}

} // namespace nereid::codegen
