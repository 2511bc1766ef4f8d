// BesselReferences.cpp - Bessel functions by their power series.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "References.h"

#include <cmath>
#include <numbers>

namespace nereid::test {

using Long = long double;

/// The power series of J, and the one that Y has besides, whose terms have
/// harmonic numbers as factors.
struct Series {
  Long regular = 0, weighted = 0;
};

static Series seriesOf(int order, Long x) {
  Long term = order == 0 ? 1 : x / 2;
  Long low = 0, high = order == 0 ? 0 : 1;
  Long factor = -x * x / 4;
  Series sum;
  for (int k = 1; k < 60 && std::fabs(term) > 1e-24L * std::fabs(x); ++k) {
    sum.regular += term;
    sum.weighted += term * (low + high);
    low += 1.0L / k;
    high += 1.0L / (k + order);
    term *= factor / Long(k * (k + order));
  }
  return sum;
}

double besselJInF64(int order, double x) {
  if (!(std::fabs(x) < 8))
    return order == 0 ? ::j0(x) : ::j1(x);
  if (x == 0)
    return order == 0 ? 1 : x;
  return double(seriesOf(order, x).regular);
}

double besselYInF64(int order, double x) {
  if (!(x > 0 && x < 8))
    return order == 0 ? ::y0(x) : ::y1(x);
  Series series = seriesOf(order, x);
  Long log = std::log(Long(x) / 2) + std::numbers::egamma_v<Long>;
  Long y = 2 * log * series.regular - series.weighted;
  return double((order == 0 ? y : y - 2 / Long(x)) / std::numbers::pi_v<Long>);
}

// All terms are positive.
double besselIInF64(int order, double x) {
  if (std::isnan(x))
    return x;
  if (std::fabs(x) > 100)
    return order == 1 ? std::copysign(HUGE_VAL, x) : HUGE_VAL;
  double term = order == 0 ? 1 : x / 2, sum = term, factor = x * x / 4;
  for (int k = 1; std::fabs(term) > 1e-18 * std::fabs(sum); ++k)
    sum += term *= factor / (double(k) * (k + order));
  return sum;
}

} // namespace nereid::test
