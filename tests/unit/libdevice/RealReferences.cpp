// RealReferences.cpp - functions with a bound on their error: the C library's
// in long double, and CUDA's bounds (CUDA C++ Programming Guide, Mathematical
// Functions).
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "References.h"

#include <cmath>
#include <numbers>

namespace nereid::test {

using Long = long double;

// x = n / 2 + r, |r| <= 1/4, exactly.
static Long sineOfHalfTurns(Long x, int shift) {
  Long within = std::fmod(x, 2);
  Long n = std::nearbyint(2 * within);
  Long angle = std::numbers::pi_v<Long> * (within - n / 2);
  int quadrant = (int(n) + shift) & 3;
  Long y = quadrant & 1 ? std::cos(angle) : std::sin(angle);
  return quadrant & 2 ? -y : y;
}

static Long sinPi(Long x) {
  if (!std::isfinite(x))
    return NAN;
  Long y = sineOfHalfTurns(x, 0);
  return y == 0 ? std::copysign(0.0L, x) : y;
}

static Long cosPi(Long x) {
  if (!std::isfinite(x))
    return NAN;
  Long y = sineOfHalfTurns(x, 1);
  return y == 0 ? 0.0L : y;
}

static Long length(const Long *x, int count) {
  Long sum = 0;
  bool isLong = false;
  for (int i = 0; i < count; ++i) {
    isLong |= std::isinf(x[i]);
    sum += x[i] * x[i]; // no f64 has too large or small a square
  }
  return isLong ? HUGE_VALL : std::sqrt(sum);
}

// Not every C library knows that powers of infinity with large exponents of
// long double have a sign.
static Long power(Long x, Long y) {
  if (std::isinf(x))
    return std::pow(static_cast<double>(x), static_cast<double>(y));
  return std::pow(x, y);
}

// The interval with the zeros.
static bool hasZerosOfLogGamma(const Long *x) {
  return x[0] < -2.26L && x[0] > -23.001L;
}

std::map<std::string, RealReference> realReferences() {
  auto unary = [](Long (*f)(Long)) {
    return [f](const Long *x) { return f(x[0]); };
  };
  auto binary = [](Long (*f)(Long, Long)) {
    return [f](const Long *x) { return f(x[0], x[1]); };
  };
  auto norm = [](int count) {
    return [count](const Long *x) { return length(x, count); };
  };
  auto reciprocalNorm = [](int count) {
    return [count](const Long *x) { return 1 / length(x, count); };
  };
  auto bessel = [](Long (*f)(int, Long), int order) {
    return [f, order](const Long *x) { return f(order, x[0]); };
  };
  auto exp10 = [](Long x) { return ::exp10l(x); };
  auto rsqrt = [](Long x) { return 1 / std::sqrt(x); };
  auto rcbrt = [](Long x) { return 1 / std::cbrt(x); };
  return {
      {"exp", {unary(std::exp), 2, 1}},
      {"exp2", {unary(std::exp2), 2, 1}},
      {"exp10", {unary(exp10), 2, 1}},
      {"expm1", {unary(std::expm1), 1, 1}},
      {"log", {unary(std::log), 1, 1}},
      {"log2", {unary(std::log2), 1, 1}},
      {"log10", {unary(std::log10), 2, 1}},
      {"log1p", {unary(std::log1p), 1, 1}},
      {"rsqrt", {unary(rsqrt), 2, 1}},
      {"cbrt", {unary(std::cbrt), 1, 1}},
      {"rcbrt", {unary(rcbrt), 1, 1}},
      {"pow", {binary(power), 4, 2}},
      {"hypot", {norm(2), 3, 2}},
      {"norm3d", {norm(3), 3, 2}},
      {"norm4d", {norm(4), 3, 2}},
      {"rhypot", {reciprocalNorm(2), 2, 1}},
      {"rnorm3d", {reciprocalNorm(3), 2, 1}},
      {"rnorm4d", {reciprocalNorm(4), 2, 1}},
      {"sin", {unary(std::sin), 2, 2}},
      {"cos", {unary(std::cos), 2, 2}},
      {"tan", {unary(std::tan), 4, 2}},
      {"sinpi", {unary(sinPi), 1, 2}},
      {"cospi", {unary(cosPi), 1, 2}},
      {"asin", {unary(std::asin), 2, 2}},
      {"acos", {unary(std::acos), 2, 2}},
      {"atan", {unary(std::atan), 2, 2}},
      {"atan2", {binary(std::atan2), 3, 2}},
      {"sinh", {unary(std::sinh), 3, 2}},
      {"cosh", {unary(std::cosh), 2, 1}},
      {"tanh", {unary(std::tanh), 2, 1}},
      {"asinh", {unary(std::asinh), 3, 3}},
      {"acosh", {unary(std::acosh), 4, 3}},
      {"atanh", {unary(std::atanh), 3, 2}},
      // More exact than CUDA promises: here nothing is computed in a hurry.
      {"fast_sinf", {unary(std::sin), 2, 0}},
      {"fast_cosf", {unary(std::cos), 2, 0}},
      {"fast_tanf", {unary(std::tan), 4, 0}},
      {"fast_tanhf", {unary(std::tanh), 2, 0}},
      {"fast_expf", {unary(std::exp), 2, 0}},
      {"fast_exp10f", {unary(exp10), 2, 0}},
      {"fast_logf", {unary(std::log), 1, 0}},
      {"fast_log2f", {unary(std::log2), 1, 0}},
      {"fast_log10f", {unary(std::log10), 2, 0}},
      {"fast_powf", {binary(power), 4, 0}},
      {"erf", {unary(std::erf), 2, 2}},
      {"erfc", {unary(std::erfc), 4, 5}},
      {"erfcx", {unary(erfcx), 4, 4}},
      {"erfinv", {unary(erfInverse), 2, 5}},
      {"erfcinv", {unary(erfcInverse), 4, 6}},
      {"normcdf", {unary(normalCdf), 5, 5}},
      {"normcdfinv", {unary(normalCdfInverse), 5, 8}},
      {"lgamma", {unary(std::lgamma), 6, 4, false, hasZerosOfLogGamma}},
      {"tgamma", {unary(std::tgamma), 5, 10}},
      {"cyl_bessel_i0", {bessel(besselI, 0), 6, 6}},
      {"cyl_bessel_i1", {bessel(besselI, 1), 6, 6}},
      {"j0", {bessel(besselJ, 0), 9, 7, true}},
      {"j1", {bessel(besselJ, 1), 9, 7, true}},
      {"y0", {bessel(besselY, 0), 9, 7, true}},
      {"y1", {bessel(besselY, 1), 9, 7, true}},
  };
}

} // namespace nereid::test
