// Quotients and square roots of f32, correctly rounded, on targets whose own
// instructions are only close. An estimate is corrected by its remainder, which
// then says how to round (Muller et al., Handbook of Floating-Point Arithmetic,
// on division and square root). The remainder is exact in 32 bits: it is small,
// so that whatever overflows from the two numbers of 50 bits whose difference
// it is cancels. Neither a fused multiply-add nor f64 is needed, and targets
// that flush subnormal numbers compute right results, too.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Rewrites.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace nereid::codegen {

static constexpr int kSign = std::numeric_limits<int>::min();
static constexpr int kInfinity = 0x7f800000;
static constexpr int kNan = 0x7fc00000;
static constexpr int kHidden = 0x800000; ///< the first bit of a significand

namespace {
/// A number that is not negative, not 0 and finite: significand * 2^(exponent -
/// 150), with 2^23 <= significand < 2^24. Other numbers have parts without a
/// meaning.
struct Significand {
  explicit Significand(Expr magnitude) {
    Expr isNormal = magnitude >= kHidden;
    Expr digits = select(isNormal, (magnitude & (kHidden - 1)) | kHidden,
                         select(magnitude == 0, magnitude.like(1), magnitude));
    Expr shift =
        digits.make<math::CountLeadingZerosOp>(digits.value.getType(), digits) -
        8;
    value = digits << shift;
    exponent =
        select(isNormal, magnitude >> magnitude.like(23), magnitude.like(1)) -
        shift;
  }
  Expr value{}, exponent{};
};
} // namespace

static Expr scaled(Expr x, double factor) { return x * factor; }

static Expr smallest(Expr x, int limit) {
  return select(x < limit, x, x.like(limit));
}

static Expr largest(Expr x, int limit) {
  return select(x > limit, x, x.like(limit));
}

/// The bits of digits * 2^(exponent - 151), rounded to nearest, ties to even,
/// where 2^24 <= digits < 2^25 and `isInexact` if there are more digits.
static Expr roundedBits(Expr digits, Expr isInexact, Expr exponent) {
  Expr shift = largest(smallest(2 - exponent, 26), 1);
  Expr one = digits.like(1);
  Expr kept = digits >> shift;
  Expr lost = digits & ((one << shift) - 1), half = one << (shift - 1);
  Expr isOdd = (kept & 1) != 0;
  Expr up = (lost > half) | ((lost == half) & (isInexact | isOdd));
  // The first bit of the significand counts as 1 of the exponent.
  Expr first = largest(exponent - 1, 0) << one.like(23);
  Expr result = first + kept + select(up, one, one.like(0));
  return select(exponent > 254, one.like(kInfinity), result);
}

Expr divideRounded(Expr x, Expr y) {
  Expr xBits = bits(x), yBits = bits(y);
  Expr sign = (xBits ^ yBits) & kSign;
  Expr dividend = xBits & ~kSign, divisor = yBits & ~kSign;
  Significand a(dividend), b(divisor);

  // A quotient from 1 up to 2.
  Expr isLess = a.value < b.value;
  Expr numerator = select(isLess, a.value + a.value, a.value);
  Expr exponent = a.exponent - b.exponent +
                  select(isLess, a.value.like(126), a.value.like(127));
  Expr divisorFloat = toFloat(b.value);
  Expr quotient = toInteger(scaled(toFloat(numerator) / divisorFloat, 0x1p24));
  Expr rest = (numerator << numerator.like(24)) - quotient * b.value;
  Expr steps = toInteger(toFloat(rest) / divisorFloat);
  quotient = quotient + steps;
  rest = rest - steps * b.value;
  Expr isOver = rest < 0;
  quotient = select(isOver, quotient - 1, quotient);
  rest = select(isOver, rest + b.value, rest);
  Expr isUnder = b.value <= rest;
  quotient = select(isUnder, quotient + 1, quotient);
  rest = select(isUnder, rest - b.value, rest);
  Expr result = roundedBits(quotient, rest != 0, exponent);

  Expr isZero = (dividend == 0) | (divisor == kInfinity);
  Expr isInfinite = (divisor == 0) | (dividend == kInfinity);
  result = select(isZero, result.like(0), result);
  result = select(isInfinite, result.like(kInfinity), result) | sign;
  Expr isNan =
      (isZero & isInfinite) | (dividend > kInfinity) | (divisor > kInfinity);
  return asFloat(select(isNan, result.like(kNan), result));
}

Expr sqrtRounded(Expr x) {
  Expr xBits = bits(x);
  Significand a(xBits & ~kSign);

  // A square from 1 up to 4, and so a root from 1 up to 2.
  Expr exponent = a.exponent - 127;
  Expr square = a.value << (exponent & 1);
  Expr root = toInteger(scaled(sqrt(scaled(toFloat(square), 0x1p-23)), 0x1p24));
  Expr target = square << square.like(25);
  Expr steps = toInteger(toFloat(target - root * root) / toFloat(root + root));
  root = root + steps;
  root = select(target - root * root < 0, root - 1, root);
  root = select(target - root * root > root + root, root + 1, root);
  // The root is no tie: its square would have 50 digits, of which the last
  // is 1.
  Expr half = shiftSigned(exponent, exponent.like(1));
  Expr result = roundedBits(root, (root & 1) != 0, half + 127);

  Expr isKept = ((xBits & ~kSign) == 0) | (xBits == kInfinity);
  Expr isNan = (xBits < 0) | (xBits > kInfinity);
  result = select(isNan, result.like(kNan), result);
  return asFloat(select(isKept, xBits, result));
}

} // namespace nereid::codegen
