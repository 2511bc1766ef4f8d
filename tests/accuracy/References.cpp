// References.cpp - the C library's functions of f64, and functions that it does
// not have.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "References.h"

#include "../unit/libdevice/References.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace nereid::test {

// x = n / 2 + r, |r| <= 1/4, exactly.
static double sineOfHalfTurns(double x, int shift) {
  double within = std::fmod(x, 2);
  double n = std::nearbyint(2 * within);
  double angle = std::numbers::pi * (within - n / 2);
  int quadrant = (int(n) + shift) & 3;
  double y = quadrant & 1 ? std::cos(angle) : std::sin(angle);
  return quadrant & 2 ? -y : y;
}

static double sinPi(double x, float) {
  if (!std::isfinite(x))
    return NAN;
  double y = sineOfHalfTurns(x, 0);
  return y == 0 ? std::copysign(0.0, x) : y;
}

static double cosPi(double x, float) {
  if (!std::isfinite(x))
    return NAN;
  double y = sineOfHalfTurns(x, 1);
  return y == 0 ? 0.0 : y;
}

// The square of an f32 is exact in f64.
static double erfcxInF64(double x, float) {
  if (!(x >= 10))
    return x < -30 ? HUGE_VAL : std::exp(x * x) * std::erfc(x);
  double sum = 1; // of the asymptotic series
  for (int k = 25; k > 0; --k)
    sum = 1 - (2 * k - 1) / (2 * x * x) * sum;
  return std::numbers::inv_sqrtpi / x * sum;
}

/// The number of which erfc is \p area, at most 1, by Newton's method from
/// \p start. The series \p slow helps where that is not near.
static double inverseOfArea(double area, double start,
                            long double (*slow)(long double),
                            long double argument) {
  if (!(std::fabs(start) < 30))
    return double(slow(argument));
  double x = start;
  for (int step = 0; step < 2; ++step) {
    double slope = -2 * std::numbers::inv_sqrtpi * std::exp(-x * x);
    double change = (std::erfc(x) - area) / slope;
    if (!(std::fabs(change) <= 1e-5 * std::fabs(x)))
      return double(slow(argument));
    x -= change;
  }
  return x;
}

static double erfInverseInF64(double y, float got) {
  double a = std::fabs(y);
  if (!(a > 0 && a < 1))
    return double(erfInverse(y));
  double start = std::fabs(got);
  if (a > 0.5)
    return std::copysign(inverseOfArea(1 - a, start, erfcInverse, 1 - a), y);
  double x = start;
  for (int step = 0; step < 2; ++step) {
    double slope = 2 * std::numbers::inv_sqrtpi * std::exp(-x * x);
    double change = (std::erf(x) - a) / slope;
    if (!(std::fabs(change) <= 1e-5 * std::fabs(x)))
      return double(erfInverse(y));
    x -= change;
  }
  return std::copysign(x, y);
}

static double erfcInverseInF64(double y, float got) {
  if (!(y > 0 && y < 2))
    return double(erfcInverse(y));
  if (y > 0.5 && y < 1.5)
    return erfInverseInF64(1 - y, got);
  if (y > 1)
    return -inverseOfArea(2 - y, -got, erfcInverse, 2 - y);
  return inverseOfArea(y, got, erfcInverse, y);
}

static double normalCdfInverseInF64(double p, float got) {
  constexpr double kRootOfTwo = std::numbers::sqrt2;
  return -kRootOfTwo * erfcInverseInF64(2 * p, float(-got / kRootOfTwo));
}

#define F64(f) [](double x, float) -> double { return f; }

// CUDA's bounds are 4 and 5, 6, 2 and 4, and 5.
static constexpr char kProduct[] = "multiplied by a rounded exponential";
static constexpr char kBessel[] = "a rounded exponential and polynomial";
static constexpr char kInverse[] = "a polynomial of a rounded logarithm";
static constexpr char kScaled[] = "erfcinv of a rounded argument, scaled";

static constexpr AccurateFunction kFunctions[] = {
    {"exp", F64(std::exp(x)), 1.5},
    {"exp2", F64(std::exp2(x)), 1.5},
    {"exp10", F64(::exp10(x)), 1.5},
    {"expm1", F64(std::expm1(x)), 1.5},
    {"log", F64(std::log(x)), 1.5},
    {"log2", F64(std::log2(x)), 1.5},
    {"log10", F64(std::log10(x)), 1.5},
    {"log1p", F64(std::log1p(x)), 1.5},
    {"rsqrt", F64(1 / std::sqrt(x)), 1.5},
    {"cbrt", F64(std::cbrt(x)), 1.5},
    {"rcbrt", F64(1 / std::cbrt(x)), 1.5},
    {"sin", F64(std::sin(x)), 1.5},
    {"cos", F64(std::cos(x)), 1.5},
    {"tan", F64(std::tan(x)), 1.5},
    {"sinpi", sinPi, 1.5},
    {"cospi", cosPi, 1.5},
    {"asin", F64(std::asin(x)), 1.5},
    {"acos", F64(std::acos(x)), 1.5},
    {"atan", F64(std::atan(x)), 1.5},
    {"sinh", F64(std::sinh(x)), 1.5},
    {"cosh", F64(std::cosh(x)), 1.5},
    {"tanh", F64(std::tanh(x)), 1.5},
    {"asinh", F64(std::asinh(x)), 1.5},
    {"acosh", F64(std::acosh(x)), 1.5},
    {"atanh", F64(std::atanh(x)), 1.5},
    {"fast_sinf", F64(std::sin(x)), 1.5},
    {"fast_cosf", F64(std::cos(x)), 1.5},
    {"fast_tanf", F64(std::tan(x)), 1.5},
    {"fast_tanhf", F64(std::tanh(x)), 1.5},
    {"fast_expf", F64(std::exp(x)), 1.5},
    {"fast_exp10f", F64(::exp10(x)), 1.5},
    {"fast_logf", F64(std::log(x)), 1.5},
    {"fast_log2f", F64(std::log2(x)), 1.5},
    {"fast_log10f", F64(std::log10(x)), 1.5},
    {"erf", F64(std::erf(x)), 1.5},
    {"erfc", F64(std::erfc(x)), 4.5, kProduct},
    {"erfcx", erfcxInF64, 4, kProduct},
    {"erfinv", erfInverseInF64, 2.5, kInverse},
    {"erfcinv", erfcInverseInF64, 3, kInverse},
    {"normcdf", F64(0.5 * std::erfc(-x / std::numbers::sqrt2)), 5, kProduct},
    {"normcdfinv", normalCdfInverseInF64, 3.5, kScaled},
    {"lgamma", F64(std::isfinite(x) ? double(::lgammal(x)) : std::lgamma(x)),
     1.5},
    {"tgamma", F64(double(std::tgamma((long double)(x)))), 1.5},
    {"j0", F64(besselJInF64(0, x)), 1.5, "", 1e-7},
    {"j1", F64(besselJInF64(1, x)), 1.5, "", 1e-7},
    {"y0", F64(besselYInF64(0, x)), 1.5, "", 1e-7},
    {"y1", F64(besselYInF64(1, x)), 1.5, "", 1e-7},
    {"cyl_bessel_i0", F64(besselIInF64(0, x)), 4.5, kBessel},
    {"cyl_bessel_i1", F64(besselIInF64(1, x)), 4.5, kBessel},
    // As Triton's own functions, without libdevice.
    {"math.exp", F64(std::exp(x)), 1.5},
    {"math.exp2", F64(std::exp2(x)), 1.5},
    {"math.log", F64(std::log(x)), 1.5},
    {"math.log2", F64(std::log2(x)), 1.5},
    {"math.sin", F64(std::sin(x)), 1.5},
    {"math.cos", F64(std::cos(x)), 1.5},
    {"math.erf", F64(std::erf(x)), 1.5},
    {"math.rsqrt", F64(1 / std::sqrt(x)), 1.5},
    {"math.sqrt", F64(std::sqrt(x)), 0.5},
};

static constexpr bool hasReason(const AccurateFunction &function) {
  return function.bound <= kUsualBound || *function.reason != 0;
}
static_assert(std::ranges::all_of(kFunctions, hasReason));

std::span<const AccurateFunction> accurateFunctions() { return kFunctions; }

} // namespace nereid::test
