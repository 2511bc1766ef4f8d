// Logarithms.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// x = 2^e (1 + f) with 1 + f near 1, and a polynomial for log(1 + f).

#include "Math.h"
#include "MathFormat.h"

namespace nereid::codegen {

// log(1 + f) = f + f^2 p(f) on [2/3, 4/3), relative error 2^-27.
static constexpr double kLogF32[] = {
    -0.5,         0.3333321599,  -0.24999798,  0.2001040553, -0.1668046649,
    0.1400587047, -0.1218458361, 0.1398445721, -0.1289023159};
// log((1 + s) / (1 - s)) = 2 s + s^3 p(s^2), relative error 2^-59.
static constexpr double kLogF64[] = {0.6666666666666735,  0.3999999999940741,
                                     0.2857142874415246,  0.22222198377810615,
                                     0.18183575182226797, 0.15313755685603728,
                                     0.14799064038050141};

static Expr exponentField(Expr x, int64_t least) {
  int64_t mask = isF32(x) ? 0xff800000 : 0xfff0000000000000;
  return (bits(x) - least) & mask;
}

static Expr exponentOf(Expr field) {
  return toFloat(shiftSigned(field, field.like(field.width() == 32 ? 23 : 52)));
}

Split splitAt(Expr x, int64_t least) {
  // Normalize a denormal first.
  double lift = isF32(x) ? 0x1p23 : 0x1p52;
  Expr isSmall = x < (isF32(x) ? 0x1p-126 : 0x1p-1022);
  Expr normal = select(isSmall, x * lift, x);
  Expr field = exponentField(normal, least);
  Expr fraction = asFloat(bits(normal) - field) - 1.0;
  Expr exponent = exponentOf(field);
  double lifted = mantissaBits(x);
  return {select(isSmall, exponent - lifted, exponent), fraction};
}

// 2/3 suits the polynomial of f32, and the square root of 1/2 that of f64.
static int64_t leastFraction(Expr x) {
  return isF32(x) ? 0x3f2aaaab : 0x3fe6a09e667f3bcd;
}

// Any x: by instructions the exponent is infinite for 0 and infinity, and the
// fraction NaN for negative numbers and NaN.
static Split splitForLog(Expr x) {
  if (!x.scope->options.hasExponents)
    return splitAt(x, leastFraction(x));
  double most = isF32(x) ? 0x1.555556p+0 : 0x1.6a09e667f3bcdp+0;
  Expr e = exponent(x), s = significand(x), isHigh = s >= most;
  return {select(isHigh, e + 1.0, e), select(isHigh, s * 0.5, s) - 1.0};
}

// log(1 + f) - f.
static Expr logTail(Expr f) {
  if (isF32(f))
    return horner(f, kLogF32) * (f * f);
  Expr s = f / (f + 2.0);
  Expr z = s * s;
  Expr halfSquare = 0.5 * (f * f);
  Expr rest = z * horner(z, kLogF64);
  return s * (halfSquare + rest) - halfSquare;
}

// \p result, with the special cases 0, negative, infinite numbers and NaN.
static Expr withSpecialCases(Expr x, Expr result) {
  Expr isRegular = lessUnsigned(bits(x) - 1, bits(x.like(kInfinity)) - 1);
  Expr special = select(x == 0.0, -kInfinity, x);
  special = select(x < 0.0, kNan, special);
  return select(isRegular, result, special);
}

// f + tail is the logarithm of the fraction. Both parts of ln(2) are positive,
// so that infinite exponents yield themselves.
static Expr naturalLog(Expr exponent, Expr f, Expr tail) {
  Pair ln2 = isF32(f) ? Pair{0x1.62e42p-1, 0x1.fdf474p-22} : kLn2F64;
  Expr low = fma(exponent, ln2.low, tail);
  return fma(exponent, ln2.high, f + low);
}

Expr expandLog(Expr x) {
  Split parts = splitForLog(x);
  Expr f = parts.fraction;
  Expr result = naturalLog(parts.exponent, f, logTail(f));
  return x.scope->options.hasExponents ? result : withSpecialCases(x, result);
}

// log(1 + f) and the factors as sums of two floats, so that the result is
// accurate to the last place near x = 1.
static Expr logOfBase(Expr x, Pair logE, Pair log2) {
  Split parts = splitForLog(x);
  Expr f = parts.fraction;
  Expr tail = logTail(f);
  Expr high = f + tail;
  Expr low = (f - high) + tail;
  ExactProduct product(high, x.like(logE.high));
  Expr rest = fma(high, logE.low, fma(low, logE.high, product.low));
  if (log2.low != 0.0)
    rest = fma(parts.exponent, log2.low, rest);
  Expr whole = parts.exponent * log2.high;
  Expr sum = whole + product.high;
  Expr result = sum + ((whole - sum) + product.high + rest);
  if (x.scope->options.hasExponents) // NaN, or infinite as the sum
    return select(abs(parts.exponent) < kInfinity, result, sum);
  return withSpecialCases(x, result);
}

Expr expandLog2(Expr x) {
  Pair logE = isF32(x) ? Pair{0x1.715476p+0, 0x1.4ae0cp-26}
                       : Pair{kLog2E, 0x1.777d0ffda0d24p-56};
  return logOfBase(x, logE, {1.0, 0.0});
}

Expr expandLog10(Expr x) {
  Pair logE = isF32(x) ? Pair{0x1.bcb7b2p-2, -0x1.5b235ep-27}
                       : Pair{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
  // Short enough for exact products with exponents.
  Pair log2 = isF32(x) ? Pair{0x1.344p-2, 0x1.3509f8p-18}
                       : Pair{0x1.34413509f6p-2, 0x1.9fef311f12b36p-42};
  return logOfBase(x, logE, log2);
}

// Where 1 + x is x, but the reciprocal of its power of two is a normal number.
static double largeArgument(Expr x) { return isF32(x) ? 0x1p30 : 0x1p200; }

// log(1 + x + low), low at most a rounding error of x and not used where the
// argument is large. 1 + x rounds; the fraction comes from x itself, scaled
// like 1 + x, and is a sum of two.
static Expr logOfSum(Expr x, std::optional<Expr> low,
                     std::optional<Expr> isLarge) {
  Expr u = x + 1.0;
  Expr field = exponentField(u, leastFraction(x));
  Expr scale = asFloat(bits(x.like(1.0)) - field);
  Expr offset = scale - 1.0;
  Expr f = multiplyAdd(x, scale, offset); // the product is exact
  Expr rest = multiplyAdd(x, scale, offset - f);
  if (low)
    rest = multiplyAdd(*low, scale, rest);
  rest = multiplyAdd(-f, rest, rest); // about rest / (1 + f)
  if (isLarge) {
    f = select(*isLarge, asFloat(bits(x) - field) - 1.0, f);
    rest = select(*isLarge, 0.0, rest);
  }
  Expr result = naturalLog(exponentOf(field), f, logTail(f) + rest);
  return copySign(withSpecialCases(u, result), x); // sums lose the sign of -0
}

Expr expandLog1p(Expr x) { return logOfSum(x, {}, x > largeArgument(x)); }

// log(1 + x + low), or log(2 a) where a is so large that the others overflow.
static Expr logOfSumOrTwice(Expr x, Expr low, Expr a) {
  Expr isLarge = a > largeArgument(a);
  Expr result = logOfSum(select(isLarge, a, x), low, isLarge);
  return result + select(isLarge, a.like(kLn2F64.high), 0.0);
}

// log(a + sqrt(a^2 + 1)), rearranged to be accurate for small a.
Expr expandAsinh(Expr x) {
  Expr a = abs(x);
  Expr square = a * a;
  Expr excess = square / (sqrt(square + 1.0) + 1.0);
  Expr sum = a + excess;
  Expr low = (a - sum) + excess;
  return copySign(logOfSumOrTwice(sum, low, a), x);
}

// log(1 + t + sqrt(t (t + 2))), with the errors of the sum and of the root.
Expr expandAcosh(Expr x) {
  Expr t = x - 1.0;
  Expr twice = t + t;
  Expr square = fma(t, t, twice);
  Expr root = sqrt(square);
  Expr lost = fma(t, t, twice - square) + fma(-root, root, square);
  Expr sum = root + t;
  Expr low = (root - sum) + t;
  low = low + lost / ((root + root) + 0x1p-100); // 0 where t is 0
  return select(x < 1.0, kNan, logOfSumOrTwice(sum, low, x));
}

// log(1 + 2 a / (1 - a)) / 2, with the error of the quotient.
Expr expandAtanh(Expr x) {
  Expr a = abs(x), twice = a + a;
  Expr divisor = 1.0 - a;
  Expr divisorRest = (1.0 - divisor) - a;
  Expr quotient = twice / divisor;
  Expr rest = fma(-quotient, divisorRest, fma(-quotient, divisor, twice));
  // 1 / divisor is 1 + quotient / 2.
  Expr low = fma(rest, 0.5 * quotient, rest);
  return copySign(0.5 * logOfSum(quotient, low, {}), x);
}

} // namespace nereid::codegen
