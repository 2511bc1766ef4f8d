// Statistics.cpp - medians, their errors, and the rules that use them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "tune/Statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace nereid::ops {

// 1 / (the inverse of the normal distribution at 3/4)
static constexpr double madScale = 1.482602218505602;
// The fewest samples that say something.
static constexpr size_t fewest = 3;

double medianOf(std::span<const double> samples) {
  if (samples.empty())
    return 0;
  std::vector<double> sorted(samples.begin(), samples.end());
  auto middle = sorted.begin() + static_cast<ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  if (sorted.size() % 2)
    return *middle;
  double below = *std::max_element(sorted.begin(), middle);
  return below + (*middle - below) / 2;
}

double spreadOf(std::span<const double> samples, double median) {
  std::vector<double> distances;
  distances.reserve(samples.size());
  for (double sample : samples)
    distances.push_back(std::abs(sample - median));
  return madScale * medianOf(distances);
}

Measurement measurementOf(std::span<const double> samples) {
  double median = medianOf(samples);
  return {median, spreadOf(samples, median), samples.size()};
}

double errorOf(const Measurement &measurement) {
  if (measurement.samples < fewest)
    return std::numeric_limits<double>::infinity();
  return measurement.spread *
         std::sqrt(std::numbers::pi / 2 /
                   static_cast<double>(measurement.samples));
}

bool isFaster(const Measurement &winner, const Measurement &other) {
  double noise = noiseLimit * std::hypot(errorOf(winner), errorOf(other));
  double least = std::max(noise, leastImprovement * other.median);
  return other.median - winner.median > least;
}

bool isHopeless(std::span<const double> samples, double best) {
  return best > 0 && samples.size() >= fewest &&
         *std::min_element(samples.begin(), samples.end()) > 2 * best;
}

} // namespace nereid::ops
