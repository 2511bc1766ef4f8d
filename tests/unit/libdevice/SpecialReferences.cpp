// SpecialReferences.cpp - special functions that C has not, or only nearly.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "References.h"

#include <cmath>
#include <numbers>

namespace nereid::test {

using Long = long double;
__extension__ typedef __float128 Quad;

// exp(x^2) times something, with what rounding takes from the square.
static Long timesExpOfSquare(Long x, Long factor, Long scale) {
  Long square = x * x, rest = std::fma(x, x, -square);
  Long power = std::exp(scale * square);
  return power * factor + power * factor * (scale * rest);
}

// 1 / (x sqrt(pi)) (1 - 1 / (2 x^2) (1 - 3 / (2 x^2) (1 - ...
Long erfcx(Long x) {
  if (std::isnan(x) || x < 10)
    return x < -30 ? HUGE_VALL : timesExpOfSquare(x, std::erfc(x), 1);
  Long sum = 1;
  for (int k = 25; k > 0; --k)
    sum = 1 - (2 * k - 1) / (2 * x * x) * sum;
  return std::numbers::inv_sqrtpi_v<Long> / x * sum;
}

// Newton's method on log(erfc).
Long erfcInverse(Long y) {
  if (std::isnan(y) || y < 0 || y > 2)
    return NAN;
  if (y == 0 || y == 2)
    return y == 0 ? HUGE_VALL : -HUGE_VALL;
  if (y > 1)
    return -erfcInverse(2 - y);
  if (y > 0.5L)
    return erfInverse(1 - y);
  Long x = std::sqrt(-std::log(y)), end = std::log(y);
  for (int step = 0; step < 40; ++step) {
    Long scaled = erfcx(x);
    Long slope = 2 * std::numbers::inv_sqrtpi_v<Long> / scaled;
    Long change = (x * x - std::log(scaled) + end) / slope;
    x -= change;
    if (std::fabs(change) < 1e-17L * x)
      break;
  }
  return x;
}

Long erfInverse(Long y) {
  if (!(std::fabs(y) <= 1))
    return NAN;
  if (std::fabs(y) > 0.5L)
    return std::copysign(erfcInverse(1 - std::fabs(y)), y);
  Long x = y * (1 / std::numbers::inv_sqrtpi_v<Long>) / 2;
  for (int step = 0; step < 8; ++step)
    x -= (std::erf(x) - y) * std::exp(x * x) /
         (2 * std::numbers::inv_sqrtpi_v<Long>);
  return y == 0 ? y : x;
}

Long normalCdf(Long x) {
  if (x > 0)
    return 1 - normalCdf(-x);
  if (x < -100)
    return 0;
  return timesExpOfSquare(x, erfcx(-x / std::numbers::sqrt2_v<Long>) / 2,
                          -0.5L);
}

Long normalCdfInverse(Long p) {
  return -std::numbers::sqrt2_v<Long> * erfcInverse(2 * p);
}

// The power series, all of whose terms are positive.
Long besselI(int order, Long x) {
  if (std::isnan(x))
    return x;
  if (std::fabs(x) > 720)
    return order == 1 ? std::copysign(HUGE_VALL, x) : HUGE_VALL;
  Long term = order == 0 ? 1 : x / 2, sum = term;
  for (int k = 1; k < 2000 && std::fabs(term) > 1e-22L * std::fabs(sum); ++k)
    sum += term *= x * x / 4 / k / (k + order);
  return sum;
}

static Quad absolute(Quad x) { return x < 0 ? -x : x; }

static Quad expOf(Quad x) {
  // Each time that the sum is squared its error doubles.
  int squares = absolute(x) < 8 ? 6 : 12;
  Quad y = x / (1 << squares), sum = 1, term = 1;
  for (int k = 1; k < 30; ++k)
    sum += term *= y / k;
  for (int i = 0; i < squares; ++i)
    sum *= sum;
  return sum;
}

static Quad logOf(Quad x) {
  Quad y = std::log(Long(x));
  return y + (x * expOf(-y) - 1);
}

static const Quad kPi = Quad(0x1.921fb54442d18p+1) + 0x1.1a62633145c07p-53 -
                        0x1.f1976b7ed8fbcp-109;
static const Quad kEuler = Quad(0x1.2788cfc6fb619p-1) - 0x1.6cb90701fbfabp-58 -
                           0x1.34a95e3133c51p-112;

/// The power series of J, and with other weights what Y has besides.
struct Series {
  Quad regular = 0, weighted = 0;
};

static Series seriesOf(int order, Quad x) {
  Quad term = order == 0 ? Quad(1) : x / 2;
  Quad low = 0, high = order == 0 ? 0 : 1; // harmonic numbers of k, k + order
  Series sum;
  for (int k = 0; k < 60; ++k) {
    sum.regular += term;
    sum.weighted += term * (low + high);
    if (absolute(term) < 1e-45)
      break;
    low += Quad(1) / (k + 1);
    high += Quad(1) / (k + 1 + order);
    term *= -x * x / 4 / (k + 1) / (k + 1 + order);
  }
  return sum;
}

Long besselJ(int order, Long x) {
  if (x == 0)
    return order == 0 ? 1 : x;
  if (std::fabs(x) < 8)
    return Long(seriesOf(order, x).regular);
  return order == 0 ? ::j0l(x) : ::j1l(x);
}

Long besselY(int order, Long x) {
  if (!(x > 0 && x < 8))
    return order == 0 ? ::y0l(x) : ::y1l(x);
  Series series = seriesOf(order, x);
  Quad y = 2 * (logOf(Quad(x) / 2) + kEuler) * series.regular - series.weighted;
  return Long((order == 0 ? y : y - 2 / Quad(x)) / kPi);
}

} // namespace nereid::test
