// Powers and roots.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// pow(x, y) = exp(y log(x)), where the logarithm and the product are sums of
// two floats: their error grows with the exponent of the result.

#include "Math.h"
#include "MathFormat.h"

#include "mlir/IR/Matchers.h"

namespace nereid::codegen {

/// A number as the sum of two floats, the second much smaller.
struct Sum {
  Expr high, low;
};

// Needs |x| >= |y|, or x = 0.
static Sum sumOf(Expr x, Expr y) {
  Expr high = x + y;
  return {high, (x - high) + y};
}

static Sum product(Sum x, Sum y) {
  ExactProduct high(x.high, y.high);
  Expr low = fma(x.high, y.low, fma(x.low, y.high, high.low));
  return {high.high, low};
}

// atanh(s) / s = 1 + s^2/3 + s^4 p(s^2), relative errors 2^-36, 2^-73.
static constexpr double kAtanhF32[] = {0.20000076546325976, 0.1427351789204465,
                                       0.11710508849798833};
static constexpr double kAtanhF64[] = {
    0.19999999999999987, 0.14285714285722667, 0.11111111108741081,
    0.09090909438494173, 0.07692278207485793, 0.06668167495363707,
    0.0583723064075126,  0.059959962569519736};

// log(1 + f) = 2 atanh(f / (2 + f)).
static Sum logOfFraction(Expr f) {
  Expr divisor = f + 2.0;
  Expr divisorRest = f - (divisor - 2.0);
  Expr quotient = f / divisor;
  Expr rest = fma(-quotient, divisor, f) - quotient * divisorRest;
  Sum s{quotient, rest / divisor};
  Sum z = product(s, s);
  Pair third = isF32(f) ? Pair{0x1.555556p-2, -0x1.555556p-27}
                        : Pair{0x1.5555555555555p-2, 0x1.5555555555555p-56};
  Sum series = product(z, {f.like(third.high), f.like(third.low)});
  Expr p = isF32(f) ? horner(z.high, kAtanhF32) : horner(z.high, kAtanhF64);
  series = sumOf(series.high, fma(z.high * z.high, p, series.low));
  Sum correction = product(s, series);
  Sum sum = sumOf(s.high, correction.high);
  Expr low = sum.low + (s.low + correction.low);
  return {sum.high + sum.high, low + low};
}

static Sum logOf(Expr a) {
  Split parts = splitAt(a, isF32(a) ? 0x3f3504f3 : 0x3fe6a09e667f3bcd);
  Sum fraction = logOfFraction(parts.fraction);
  Pair ln2 = isF32(a) ? kLn2F32 : kLn2F64;
  ExactProduct whole(parts.exponent, a.like(ln2.high));
  Sum sum = sumOf(whole.high, fraction.high);
  Expr low = fma(parts.exponent, ln2.low, whole.low) + fraction.low;
  sum = sumOf(sum.high, sum.low + low);
  Expr high = select(a == kInfinity, kInfinity, sum.high);
  return {select(a == 0.0, -kInfinity, high), sum.low};
}

// |x|^y.
static Expr powerOf(Expr x, Sum y) {
  Expr a = abs(x);
  Sum exponent = product(logOf(a), y);
  // Of infinities, and where the result is one or 0, there is no rest.
  Expr isHuge = abs(exponent.high) > (isF32(x) ? 200.0 : 2000.0);
  Expr isRestless = isHuge | isNan(exponent.low);
  Expr low = select(isRestless, 0.0, exponent.low);
  Expr high = select(isNan(x), x, exponent.high);
  high = select((a == 1.0) & (abs(y.high) == kInfinity), 0.0, high);
  return expOfSum(high, low);
}

/// x^2 and x^3 by one and two roundings, if `exponent` is such a constant.
static std::optional<Expr> smallPowerOf(Expr x, Expr exponent) {
  auto isNumber = [&](int number) {
    llvm::APInt integer;
    llvm::APFloat real(0.0);
    if (mlir::matchPattern(exponent.value, mlir::m_ConstantInt(&integer)))
      return integer == number;
    return mlir::matchPattern(exponent.value, mlir::m_ConstantFloat(&real)) &&
           real.isExactlyValue(number);
  };
  if (isNumber(2))
    return x * x;
  if (isNumber(3))
    return x * x * x;
  return std::nullopt;
}

Expr expandPow(Expr x, Expr y) {
  if (std::optional<Expr> power = smallPowerOf(x, y))
    return *power;
  Expr result = powerOf(x, {y, y.like(0.0)});
  Expr half = y * 0.5;
  Expr isInteger = y == roundEven(y);
  Expr isOdd = isInteger & (half != roundEven(half));
  Expr isNegative = bits(x) < 0;
  result = select(isNegative & isOdd, -result, result);
  Expr hasNone = (x < 0.0) & (y != roundEven(y)) & (abs(x) < kInfinity);
  result = select(hasNone, kNan, result);
  return select((x == 1.0) | (y == 0.0), 1.0, result);
}

// The integer as a sum of two, as one f32 may be too short for it.
Expr expandPowInteger(Expr x, Expr n) {
  if (std::optional<Expr> power = smallPowerOf(x, n))
    return *power;
  Sum y{x, x.like(0.0)};
  if (isF32(x)) {
    Expr nearest = toFloat(n);
    y.high = select(nearest == 0x1p31, 0x1p31 - 128, nearest);
    y.low = toFloat(n - toInteger(y.high));
  } else {
    y.high = n.make<mlir::arith::SIToFPOp>(x.value.getType(), n);
  }
  Expr result = powerOf(x, y);
  Expr isNegative = (bits(x) < 0) & ((n & 1) != 0);
  result = select(isNegative, -result, result);
  return select(n == 0, 1.0, result);
}

// A third of the bits is an estimate good to 5 %, which two steps of Halley
// and one of Newton, with an exact remainder, make the root.
Expr expandCbrt(Expr x) {
  Expr a = abs(x);
  // Small enough for the remainder to have too few bits.
  Expr isSmall = a < (isF32(x) ? 0x1p-60 : 0x1p-900);
  Expr scaled = select(isSmall, a * (isF32(x) ? 0x1p72 : 0x1p216), a);
  Expr third = toFloat(bits(scaled)) * (1.0 / 3.0);
  double estimate = isF32(x) ? 709958130.0 : 715094163.0 * 0x1p32;
  Expr root = asFloat(toInteger(third + estimate));
  for (int step = 0; step < 2; ++step) {
    // root (root^3 + 2 a) / (2 root^3 + a), by quarters of what may be large.
    Expr cube = 0.25 * root * root * root;
    Expr quarter = 0.25 * scaled;
    root = root * ((cube + (quarter + quarter)) / ((cube + cube) + quarter));
  }
  ExactProduct square(root, root);
  Expr remainder =
      fma(0.25 * square.high, root, -0.25 * scaled) + 0.25 * square.low * root;
  root = root - remainder / (0.75 * square.high);
  root = select(isSmall, root * (isF32(x) ? 0x1p-24 : 0x1p-72), root);
  Expr isRegular = lessUnsigned(bits(a) - 1, bits(x.like(kInfinity)) - 1);
  return select(isRegular, copySign(root, x), x);
}

Expr expandRcbrt(Expr x) { return 1.0 / expandCbrt(x); }

Expr expandRsqrt(Expr x) { return 1.0 / sqrt(x); }

} // namespace nereid::codegen
