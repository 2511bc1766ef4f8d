// Statistics.cpp - quantiles, interpolated between the two nearest samples.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Statistics.h"

#include <algorithm>
#include <numeric>

namespace nereid::tools {

static double quantile(const std::vector<double> &sorted, double part) {
  double place = part * static_cast<double>(sorted.size() - 1);
  size_t below = static_cast<size_t>(place);
  size_t above = std::min(below + 1, sorted.size() - 1);
  double weight = place - static_cast<double>(below);
  return sorted[below] + weight * (sorted[above] - sorted[below]);
}

Statistics Statistics::of(std::vector<double> samples) {
  Statistics result;
  if (samples.empty())
    return result;
  std::sort(samples.begin(), samples.end());
  result.count = samples.size();
  result.minimum = samples.front();
  result.p20 = quantile(samples, 0.2);
  result.median = quantile(samples, 0.5);
  result.p80 = quantile(samples, 0.8);
  result.mean = std::accumulate(samples.begin(), samples.end(), 0.0) /
                static_cast<double>(samples.size());
  return result;
}

} // namespace nereid::tools
