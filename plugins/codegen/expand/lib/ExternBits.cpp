// External functions on the parts of numbers, and exact ones.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Extern.h"
#include "Math.h"
#include "MathFormat.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace nereid::codegen {

template <typename Op> static Expr unary(Expr x) {
  return x.make<Op>(x.value.getType(), x);
}

Expr asNumber(Expr x) { return asFloat(x); }

Expr numberOfHalves(Expr high, Expr low) {
  return asFloat((extendUnsigned(high, 64) << 32) | extendUnsigned(low, 64));
}

Expr lowHalf(Expr x) { return truncate(bits(x), 32); }
Expr highHalf(Expr x) { return truncate(bits(x) >> 32, 32); }

Expr isInfinite(Expr x) { return abs(x) == kInfinity; }
Expr isFinite(Expr x) { return abs(x) < kInfinity; }
Expr isNegative(Expr x) { return bits(x) < 0; }

static double leastNormal(Expr x) { return isF32(x) ? 0x1p-126 : 0x1p-1022; }
static double leastNumber(Expr x) { return isF32(x) ? 0x1p-149 : 0x1p-1074; }

Expr nextAfter(Expr x, Expr y) {
  Expr pattern = bits(x);
  Expr grows = (x < y) ^ isNegative(x);
  Expr step = asFloat(select(grows, pattern + 1, pattern - 1));
  step = select(x == 0.0, copySign(x.like(leastNumber(x)), y), step);
  return select((x < y) | (x > y), step, select(x == y, y, x + y));
}

Expr powerOfTwo(Expr n) {
  bool isWord = n.width() == 32;
  return asFloat((n + (isWord ? 127 : 1023)) << (isWord ? 23 : 52));
}

static Expr mantissa(Expr pattern, Expr x) {
  int64_t sign = int64_t(1) << (x.width() - 1);
  return pattern & (sign | ((int64_t(1) << mantissaBits(x)) - 1));
}

Normalized::Normalized(Expr x) : significand(x), exponent(x) {
  // Normalize a denormal first.
  double lift = isF32(x) ? 0x1p25 : 0x1p54;
  Expr isSmall = abs(x) < leastNormal(x);
  Expr pattern = bits(select(isSmall, x * lift, x));
  Expr field = (pattern >> mantissaBits(x)) & (2 * exponentBias(x) + 1);
  Expr below = field.like(exponentBias(x));
  Expr lifted = field.like(exponentBias(x) + (isF32(x) ? 25 : 54));
  exponent = field - select(isSmall, lifted, below);
  int64_t one = int64_t(exponentBias(x)) << mantissaBits(x);
  significand = asFloat(mantissa(pattern, x) | one);
}

static Expr clampInteger(Expr n, int64_t low, int64_t high) {
  n = select(n < low, n.like(low), n);
  return select(n > high, n.like(high), n);
}

// Outside these bounds the result is 0 or infinity. Of the two factors only the
// second, on a number near 1, may round.
Expr scaleByPower(Expr x, Expr n) {
  int64_t end = isF32(x) ? 400 : 4400;
  Normalized parts(x);
  Expr bounded = clampInteger(n, -end, end);
  if (!isF32(x))
    bounded = extendSigned(bounded, 64);
  int64_t range = exponentBias(x) + mantissaBits(x) + 4;
  Expr power = clampInteger(parts.exponent + bounded, -range, range);
  Expr half = shiftSigned(power, power.like(1));
  Expr result =
      parts.significand * powerOfTwo(half) * powerOfTwo(power - half);
  Expr isRegular = lessUnsigned(bits(abs(x)) - 1, bits(x.like(kInfinity)) - 1);
  return select(isRegular, result, x);
}

Expr exponentNumber(Expr x) {
  Expr exponent = toFloat(Normalized(x).exponent);
  // Infinite or NaN.
  exponent = select(abs(x) < kInfinity, exponent, abs(x));
  return select(x == 0.0, -kInfinity, exponent);
}

Expr exponentInteger(Expr x) {
  Expr exponent = Normalized(x).exponent;
  if (!isF32(x))
    exponent = truncate(exponent, 32);
  int64_t least = std::numeric_limits<int32_t>::min();
  exponent = select(isInfinite(x), exponent.like(~least), exponent);
  return select((x == 0.0) | isNan(x), exponent.like(least), exponent);
}

Expr floorOf(Expr x) { return unary<math::FloorOp>(x); }
Expr ceilOf(Expr x) { return unary<math::CeilOp>(x); }
Expr truncOf(Expr x) { return unary<math::TruncOp>(x); }
Expr roundAway(Expr x) { return unary<math::RoundOp>(x); }

Expr roundAwayToInteger(Expr x) {
  return convertToward(Direction::Zero, roundAway(x), "", "i64");
}

Expr quotient(Expr x, Expr y) { return x / y; }

// CUDA defines the upper word of the result only; denormals are 0.
Expr reciprocalHighHalf(Expr x) {
  auto flush = [](Expr v) {
    return select(abs(v) < leastNormal(v), copySign(v.like(0.0), v), v);
  };
  Expr result = flush(1.0 / flush(x));
  Expr cut = asFloat(bits(result) & ~int64_t(0xffffffff));
  return select(isNan(result), result, cut);
}

// NaN becomes 0.
Expr saturate(Expr x) {
  Expr atLeast = select(x > 0.0, x, 0.0);
  return select(atLeast < 1.0, atLeast, 1.0);
}

// The remainder of 2 y, less y as long as it is more than a half of y, or a
// half and the quotient odd.
Expr nearestRemainder(Expr x, Expr y) {
  Expr b = abs(y);
  Expr rest = abs(expandRemainder(x, b + b));
  // Half of a small number would be rounded, twice a large one would overflow.
  Expr isSmall = b < (isF32(x) ? 0x1p-100 : 0x1p-1000);
  auto excess = [&](Expr v) {
    return select(isSmall, (v + v) - b, v - 0.5 * b);
  };
  Expr less = rest - b;
  less = select(excess(less) >= 0.0, less - b, less);
  rest = select(excess(rest) > 0.0, less, rest);
  return select(isNegative(x), -rest, rest);
}

Expr positiveDifference(Expr x, Expr y) {
  Expr isNumber = x <= y;
  return select(isNumber, 0.0, x - y);
}

Expr largerNumber(Expr x, Expr y) {
  return x.make<arith::MaxNumFOp>(x.value.getType(), x, y);
}

Expr smallerNumber(Expr x, Expr y) {
  return x.make<arith::MinNumFOp>(x.value.getType(), x, y);
}

} // namespace nereid::codegen
