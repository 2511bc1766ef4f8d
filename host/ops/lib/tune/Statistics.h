// Statistics.h - what may be concluded from noisy measurements.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The median and the median absolute deviation (MAD) are used because a few
// samples that an interrupt made ten times longer change neither. Sources:
//   - P. J. Rousseeuw, C. Croux: Alternatives to the Median Absolute Deviation,
//     Journal of the American Statistical Association 88 (1993): for normally
//     distributed samples 1.4826 MAD estimates the standard deviation.
//   - M. G. Kendall, A. Stuart: The Advanced Theory of Statistics, volume 1:
//     the variance of the median of n such samples tends to pi/2 times that of
//     a sample, divided by n.

#ifndef NEREID_OPS_TUNE_STATISTICS_H
#define NEREID_OPS_TUNE_STATISTICS_H

#include <cstddef>
#include <cstdint>
#include <span>

namespace nereid::ops {

/// A measurement of one configuration, in any unit of time.
struct Measurement {
  double median = 0;
  double spread = 0; ///< estimates the standard deviation of a sample
  uint64_t samples = 0;
};

/// The median of \p samples, the mean of the middle two of an even number; 0 if
/// there are none.
double medianOf(std::span<const double> samples);

/// 1.4826 times the median distance from \p median.
double spreadOf(std::span<const double> samples, double median);

Measurement measurementOf(std::span<const double> samples);

/// The estimated standard deviation of the median of \p measurement. Infinite
/// below three samples, which say nothing about their spread.
double errorOf(const Measurement &measurement);

/// Improvements below this part are not worth another configuration, however
/// certain they are: a timer that ticks coarsely shows no spread at all.
inline constexpr double leastImprovement = 0.01;

/// How many standard deviations of the difference are outside the noise.
inline constexpr double noiseLimit = 3;

/// Whether \p winner is faster than \p other by more than the noise of the
/// two. The rule for replacing a default: it stays unless this is true.
bool isFaster(const Measurement &winner, const Measurement &other);

/// Whether measuring on is pointless: after three samples even the shortest
/// one takes twice the best median. With \p best 0 there is none yet.
bool isHopeless(std::span<const double> samples, double best);

} // namespace nereid::ops

#endif // NEREID_OPS_TUNE_STATISTICS_H
