// StatisticsTest.cpp - rules for noisy times, on samples with a known truth.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "tune/Statistics.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace nereid::ops;
using Samples = std::vector<double>;

// The standard library's distributions differ between libraries; sums of
// uniform numbers do not.
static double normal(std::mt19937_64 &random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i)
    sum += static_cast<double>(random() >> 11) / 9007199254740992.0;
  return sum;
}

// Times of a machine: normal noise, and now and then an interrupt.
static Samples times(std::mt19937_64 &random, double truth, double noise,
                     size_t count, double interrupted = 0.05) {
  Samples samples;
  for (size_t i = 0; i < count; ++i) {
    double time = truth + noise * normal(random);
    if (static_cast<double>(random() % 10000) < interrupted * 10000)
      time *= 10;
    samples.push_back(time);
  }
  return samples;
}

TEST(StatisticsTest, FindsTheMiddle) {
  EXPECT_EQ(medianOf({}), 0);
  EXPECT_EQ(medianOf(Samples{3}), 3);
  EXPECT_EQ(medianOf(Samples{9, 1, 5}), 5);
  EXPECT_EQ(medianOf(Samples{9, 1, 5, 2}), 3.5);
  EXPECT_EQ(medianOf(Samples{1e308, 1.5e308}), 1.25e308);
}

TEST(StatisticsTest, SpreadIsTheScaledMedianDeviation) {
  Samples samples = {1, 2, 3, 4, 100};
  EXPECT_EQ(medianOf(samples), 3);
  EXPECT_DOUBLE_EQ(spreadOf(samples, 3), 1.482602218505602);
  EXPECT_EQ(spreadOf(Samples{5, 5, 5}, 5), 0);
}

TEST(StatisticsTest, SpreadEstimatesTheStandardDeviationInSpiteOfInterrupts) {
  std::mt19937_64 random(1);
  Measurement found = measurementOf(times(random, 1000, 20, 20000));
  EXPECT_NEAR(found.median, 1000, 5);
  EXPECT_NEAR(found.spread, 20, 2);
  EXPECT_EQ(found.samples, 20000u);
}

TEST(StatisticsTest, ErrorOfTheMedianIsWhatItScattersBy) {
  std::mt19937_64 random(2);
  double sum = 0, squares = 0, predicted = 0;
  constexpr int rounds = 2000;
  for (int i = 0; i < rounds; ++i) {
    Measurement found = measurementOf(times(random, 1000, 20, 25, 0));
    sum += found.median;
    squares += found.median * found.median;
    predicted += errorOf(found) / rounds;
  }
  double mean = sum / rounds;
  double scatter = std::sqrt(squares / rounds - mean * mean);
  EXPECT_NEAR(predicted / scatter, 1, 0.15);
  EXPECT_TRUE(std::isinf(errorOf({1, 0, 2})));
}

TEST(StatisticsTest, ADefaultIsRarelyReplacedByItsEqual) {
  std::mt19937_64 random(3);
  int replaced = 0;
  for (int i = 0; i < 5000; ++i)
    replaced += isFaster(measurementOf(times(random, 1000, 30, 15)),
                         measurementOf(times(random, 1000, 30, 15)));
  // One in 741 would be beyond three standard deviations on one side, if the
  // spread were known; with 15 samples it is estimated.
  EXPECT_LT(replaced, 5000 / 50);
}

TEST(StatisticsTest, ARealWinnerIsFound) {
  std::mt19937_64 random(4);
  int found = 0;
  for (int i = 0; i < 500; ++i)
    found += isFaster(measurementOf(times(random, 900, 20, 15)),
                      measurementOf(times(random, 1000, 20, 15)));
  EXPECT_GT(found, 490);
}

TEST(StatisticsTest, TheBestOfManyEqualsIsNotMuchOfAWinner) {
  std::mt19937_64 random(5);
  int replaced = 0;
  for (int round = 0; round < 200; ++round) {
    Measurement best = measurementOf(times(random, 1000, 20, 25));
    for (int i = 0; i < 50; ++i)
      if (Measurement other = measurementOf(times(random, 1000, 20, 25));
          other.median < best.median)
        best = other;
    replaced += isFaster(best, measurementOf(times(random, 1000, 20, 25)));
  }
  // The smallest of 50 medians is more than two of its deviations below the
  // truth; a rule without noise would replace nearly always.
  EXPECT_LT(replaced, 200 / 3);
}

TEST(StatisticsTest, CoarseTimersAndFewSamplesProveNothing) {
  EXPECT_FALSE(isFaster({999, 0, 25}, {1000, 0, 25}));
  EXPECT_TRUE(isFaster({980, 0, 25}, {1000, 0, 25}));
  EXPECT_FALSE(isFaster({500, 0, 2}, {1000, 0, 25}));
  EXPECT_FALSE(isFaster({500, 0, 25}, {1000, 0, 2}));
  EXPECT_FALSE(isFaster({1000, 0, 25}, {500, 0, 25}));
}

TEST(StatisticsTest, GivesUpAtTwiceTheBest) {
  EXPECT_TRUE(isHopeless(Samples{201, 205, 900}, 100));
  EXPECT_FALSE(isHopeless(Samples{200, 205, 900}, 100));
  // One interrupt, or two, are no reason.
  EXPECT_FALSE(isHopeless(Samples{900, 900, 101}, 100));
  EXPECT_FALSE(isHopeless(Samples{900, 900}, 100));
  EXPECT_FALSE(isHopeless(Samples{900, 900, 900}, 0));
}
