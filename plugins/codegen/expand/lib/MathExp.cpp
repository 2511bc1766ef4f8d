// Exponential functions.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// exp(x) = 2^n exp(r) with n the nearest integer to x log2(e), |r| <= ln(2)/2.
// n is computed by an addition that rounds the fraction away: it is then in the
// low bits of the sum.

#include "Math.h"
#include "MathFormat.h"

namespace nereid::codegen {

// exp(r) and 2^r, with a relative error of 2^-28 (f32) and 2^-58 (f64).
static constexpr double kExpF32[] = {1.0,           1.0,
                                     0.4999999345,  0.1666652064,
                                     0.04166838814, 0.008368716394,
                                     0.001381458802};
static constexpr double kExpF64[] = {1.0,
                                     1.0,
                                     0.5000000000000011,
                                     0.16666666666666413,
                                     0.04166666666653019,
                                     0.008333333333494456,
                                     0.0013888888943625565,
                                     0.0001984126950668344,
                                     2.480149310118342e-05,
                                     2.7557586221700105e-06,
                                     2.7630248176110035e-07,
                                     2.500012304203107e-08};
static constexpr double kExp2F32[] = {
    1.0,           0.6931472029,   0.2402264791, 0.05550332469, 0.009618437374,
    0.00133988751, 0.0001535335722};
static constexpr double kExp2F64[] = {1.0,
                                      0.6931471805599453,
                                      0.2402265069591013,
                                      0.055504108664820084,
                                      0.009618129107594105,
                                      0.0013333558146774059,
                                      0.0001540353045713102,
                                      1.525273349368418e-05,
                                      1.3215435273223913e-06,
                                      1.0178199335560483e-07,
                                      7.0737847323378016e-09,
                                      4.434807463505481e-10};

// sinh(x) = x + x^3 p(x^2) on [0, 1], relative errors 2^-31, 2^-61.
static constexpr double kSinhF32[] = {0.1666666716, 0.008333315141,
                                      0.0001984166593, 2.789984819e-06};
static constexpr double kSinhF64[] = {
    0.16666666666666669,    0.00833333333333297,    0.00019841269841531264,
    2.7557319130340297e-06, 2.5052126864794992e-08, 1.6056999690626106e-10,
    7.765926374468399e-13};
// tanh(x) = x + x^3 p(x^2) on [0, 0.6], relative errors of the second term
// 2^-23, 2^-54.
static constexpr double kTanhF32[] = {
    -0.3333333135, 0.1333291531, -0.05387394875, 0.02111095935, -0.00626911968};
static constexpr double kTanhF64[] = {
    -0.3333333333333333,    0.13333333333333205,     -0.05396825396808531,
    0.021869488527368107,   -0.008863235292803289,   0.0035921242500086925,
    -0.0014557958855734635, 0.0005897680994688268,   -0.00023795201383924994,
    9.332432233847448e-05,  -3.2086614037935994e-05, 6.934046420988954e-06};

// x as n and what is left, for a function that is 2^n times a polynomial of the
// rest.
struct Reduced {
  Expr rounded; // n + offset in its low bits
  Expr n, r;
};

// Without an instruction that scales, 2^n is not a normal number for all
// relevant n, so the sum holds n + offset. One half of it is added to the
// exponent of the polynomial, the other half is a factor. To make the result
// 2^n, the polynomial is scaled by 2^-scale.
struct ScalingFormat {
  int64_t offset;
  double scale;
};
static ScalingFormat scalingOf(Expr x) {
  if (x.scope->options.hasScale)
    return {0, 1.0};
  return isF32(x) ? ScalingFormat{152, 0x1p-25} : ScalingFormat{1078, 0x1p-55};
}

/// Bounds of what is not 0, and infinite, by far.
struct Range {
  double low, high;
};

// Outside these bounds the result is that at the bound; NaN is preserved.
static Expr clamp(Expr x, Range range) {
  x = select(x < range.low, range.low, x);
  return select(x > range.high, range.high, x);
}

// What only rounds to 0 takes processors eight times as long as the rest of a
// function, for each masked-off vector of a softmax. So a result below the
// range is never rounded: a processor that scales skips it; without one, n +
// offset is 0 there, and so is the factor 2^rest.
static Expr clampForScaling(Expr x, Range range) {
  if (x.scope->options.hasScale)
    return select(x > range.high, range.high, x);
  return clamp(x, range);
}

static Expr scaleByPower(Expr polynomial, const Reduced &reduced, Expr x,
                         Range range) {
  if (x.scope->options.hasScale)
    return scaleIf(notLess(x, range.low), polynomial, reduced.n);
  int64_t mantissa = mantissaBits(x);
  Expr sum = bits(reduced.rounded);
  Expr half = (sum >> int64_t(1)) << mantissa;
  Expr rest = (sum << mantissa) - half;
  Expr significand = asFloat(bits(polynomial) + half);
  // Adding to the bits of a NaN may have made it a number: x - x restores it.
  return multiplyAdd(significand, asFloat(rest), x - x);
}

static Reduced reduce(Expr x, int64_t offset) {
  double shift = roundingShift(x) + double(offset);
  Pair ln2 = isF32(x) ? kLn2F32 : kLn2F64;
  Expr rounded = fma(x, kLog2E, x.like(shift));
  Expr n = rounded - shift;
  return {rounded, n, fma(n, -ln2.low, fma(n, -ln2.high, x))};
}

static Expr expPolynomial(Expr r, double scale) {
  return isF32(r) ? horner(r, kExpF32, scale) : horner(r, kExpF64, scale);
}

static Range rangeOfExp(Expr x) {
  return isF32(x) ? Range{-105.5, 89.5} : Range{-747.3, 710.5};
}

/// 2^t, t = x log2(e), and what the rounding of t leaves out, except where 2^t
/// is infinite, 0, or not a normal number.
static Expr expByExp2(Expr x) {
  constexpr double kHigh = 0x1.715476p+0, kLow = 0x1.4ae0cp-26;
  constexpr double kLn2 = 0.6931471805599453;
  Expr t = x * kHigh;
  Expr rest = fma(x, kLow, fma(x, x.like(kHigh), -t)) * kLn2;
  Expr power = exp2(t);
  return select(abs(t) < 126.0, fma(power, rest, power), power);
}

Expr expandExp(Expr x) {
  if (isF32(x) && x.scope->options.hasExp2)
    return expByExp2(x);
  auto [offset, scale] = scalingOf(x);
  Range range = rangeOfExp(x);
  x = clampForScaling(x, range);
  Reduced reduced = reduce(x, offset);
  return scaleByPower(expPolynomial(reduced.r, scale), reduced, x, range);
}

Expr expOfSum(Expr high, Expr low) {
  auto [offset, scale] = scalingOf(high);
  Range range = rangeOfExp(high);
  high = clampForScaling(high, range);
  Reduced reduced = reduce(high, offset);
  return scaleByPower(expPolynomial(reduced.r + low, scale), reduced, high,
                      range);
}

Expr expandExp10(Expr x) {
  auto [offset, scale] = scalingOf(x);
  Range range = isF32(x) ? Range{-45.8, 39.0} : Range{-324.55, 309.5};
  x = clampForScaling(x, range);
  Pair log2 = isF32(x) ? Pair{0x1.344136p-2, -0x1.ec10cp-27}
                       : Pair{0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59};
  constexpr double kLog2Of10 = 3.321928094887362, kLogOf10 = 2.302585092994046;
  double shift = roundingShift(x) + double(offset);
  Expr rounded = fma(x, kLog2Of10, x.like(shift));
  Expr n = rounded - shift;
  Expr r = fma(n, -log2.low, fma(n, -log2.high, x)) * kLogOf10;
  return scaleByPower(expPolynomial(r, scale), {rounded, n, r}, x, range);
}

Expr expNormal(Expr x) {
  Reduced reduced = reduce(x, exponentBias(x));
  Expr power = asFloat(bits(reduced.rounded) << int64_t(mantissaBits(x)));
  return expPolynomial(reduced.r, 1.0) * power;
}

Expr expandExp2(Expr x) {
  auto [offset, scale] = scalingOf(x);
  Range range = isF32(x) ? Range{-152.0, 129.0} : Range{-1078.0, 1025.0};
  auto polynomial = [&](Expr r) {
    return isF32(r) ? horner(r, kExp2F32, scale) : horner(r, kExp2F64, scale);
  };
  if (x.scope->options.hasScale && x.scope->options.hasFraction) {
    Expr r = fraction(x);
    return scaleIf(notLess(x, range.low), polynomial(r), x - r);
  }
  x = clampForScaling(x, range);
  double shift = roundingShift(x) + double(offset);
  Expr rounded = x + shift;
  Expr n = rounded - shift;
  Expr r = x - n;
  return scaleByPower(polynomial(r), {rounded, n, r}, x, range);
}

/// exp(x) 2^shift as power (1 + high + low): for sums in which most of the power
/// may cancel.
struct PowerAndRest {
  Expr power, high, low;
};

// The power must be a normal number. The rounding error of r matters here.
static PowerAndRest expByParts(Expr x, int64_t exponentShift) {
  double shift = roundingShift(x) + double(exponentBias(x) + exponentShift);
  Pair ln2 = isF32(x) ? kLn2F32 : kLn2F64;
  Expr rounded = fma(x, kLog2E, x.like(shift));
  Expr n = rounded - shift;
  Expr high = fma(n, -ln2.high, x);
  Expr low = n * ln2.low;
  Expr r = high - low;
  Expr lost = (high - r) - low;
  Expr tail = isF32(x) ? horner(r, llvm::ArrayRef(kExpF32).drop_front(2))
                       : horner(r, llvm::ArrayRef(kExpF64).drop_front(2));
  Expr power = asFloat(bits(rounded) << int64_t(mantissaBits(x)));
  return {power, r, fma(r * r, tail, lost)};
}

// (exp(x) - 1) / 2 first, as 2^n overflows for the largest x.
Expr expandExpm1(Expr x) {
  Expr bounded = clamp(x, isF32(x) ? Range{-18.0, 89.0} : Range{-40.0, 710.0});
  auto [power, high, low] = expByParts(bounded, -1);
  // The inner sum is exact where the power is 1, of which most cancels.
  Expr half = fma(low, power, fma(high, power, power - 0.5));
  return copySign(half + half, x); // the sums lose the sign of -0
}

// (exp(a) + sign exp(-a)) / 2, half of it first.
static Expr halfSumOfPowers(Expr a, double sign) {
  double end = isF32(a) ? 89.5 : 710.5; // from there on it is infinite
  auto [power, high, low] = expByParts(select(a > end, end, a), -2);
  Expr rest = high + low;
  Expr inverse = (sign * 0.0625) / fma(power, rest, power);
  Expr half = power + fma(power, rest, inverse);
  return half + half;
}

Expr expandSinh(Expr x) {
  Expr a = abs(x), z = x * x;
  Expr p = isF32(x) ? horner(z, kSinhF32) : horner(z, kSinhF64);
  Expr small = fma(a * z, p, a);
  return copySign(select(a < 1.0, small, halfSumOfPowers(a, -1.0)), x);
}

Expr expandCosh(Expr x) { return halfSumOfPowers(abs(x), 1.0); }

Expr expandTanh(Expr x) {
  Expr a = abs(x), z = x * x;
  Expr p = isF32(x) ? horner(z, kTanhF32) : horner(z, kTanhF64);
  Expr small = fma(a * z, p, a);
  // From here on the result is 1.
  double end = isF32(x) ? 10.0 : 20.0;
  Expr bounded = select(a > end, end, a);
  Expr large = 1.0 - 2.0 / (expNormal(bounded + bounded) + 1.0);
  return copySign(select(a < 0.6, small, large), x);
}

} // namespace nereid::codegen
