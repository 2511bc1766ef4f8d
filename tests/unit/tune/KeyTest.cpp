// KeyTest.cpp - canonical keys, buckets and distances.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "store/Key.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace nereid::ops;

static std::string canonical(std::string_view text) {
  auto result = canonicalObject(text, "key");
  return result ? *result : result.failure().text;
}

static std::string bucket(std::string_view key, std::string_view strategies) {
  auto parsed = parseStrategies(strategies);
  if (!parsed)
    return parsed.failure().text;
  auto result = bucketOf(canonical(key), *parsed);
  return result ? *result : result.failure().text;
}

TEST(KeyTest, EqualKeysHaveEqualTexts) {
  EXPECT_EQ(canonical(R"({ "n": 1024.0, "b": true, "a": "f32" })"),
            R"({"a":"f32","b":true,"n":1024})");
  EXPECT_EQ(canonical(R"({"a":"f32","n":1024,"b":true})"),
            R"({"a":"f32","b":true,"n":1024})");
  EXPECT_EQ(canonical(R"({"x": 0.5})"), R"({"x":0.5})");
  // Larger than a double can tell apart.
  EXPECT_EQ(canonical(R"({"x": 9007199254740993})"),
            R"({"x":9007199254740993})");
}

TEST(KeyTest, RefusesWhatIsNotAKey) {
  EXPECT_EQ(canonical("[1]"), "the key '[1]' is not an object, expected one as "
                              "in {\"n\": 1024}");
  EXPECT_EQ(canonical("{\"n\": }"),
            "the key '{\"n\": }' is not JSON at byte 7");
  EXPECT_EQ(canonical(R"({"n": [1]})"),
            "the key's 'n' is a list or an object, expected a number, a "
            "string, true, false or null");
  EXPECT_EQ(canonical("{\"n\": \"" + std::string(20000, 'x') + "\"}"),
            "the key has 20009 bytes, at most 16384 are expected");
}

TEST(KeyTest, RoundsByStrategy) {
  const char *strategies = R"({"m": "log2", "n": "align32", "k": [16, 64]})";
  EXPECT_EQ(bucket(R"({"m": 1000, "n": 33, "k": 17, "b": 7})", strategies),
            R"({"b":7,"k":64,"m":1024,"n":64})");
  EXPECT_EQ(bucket(R"({"m": 1024, "n": 64, "k": 16})", strategies),
            R"({"k":16,"m":1024,"n":64})");
  EXPECT_EQ(bucket(R"({"m": 1025, "n": 0, "k": 1e9})", strategies),
            R"({"k":64,"m":2048,"n":0})");
  EXPECT_EQ(bucket(R"({"m": 0, "n": -5, "k": -1})", strategies),
            R"({"k":-1,"m":0,"n":-5})");
  EXPECT_EQ(bucket(R"({"m": "f32"})", strategies), R"({"m":"f32"})");
  EXPECT_EQ(bucket(R"({"m": 1000})", R"({"m": "exact"})"), R"({"m":1000})");
}

TEST(KeyTest, RoundsEveryPowerOfTwoToItself) {
  Strategy log2{Strategy::Log2, {}};
  for (int power = 0; power < 53; ++power) {
    double value = std::exp2(power);
    EXPECT_EQ(log2.round(value), value);
    if (power > 1) {
      EXPECT_EQ(log2.round(value - 1), value);
    }
  }
}

TEST(KeyTest, NamesTheStrategyThatIsWrong) {
  EXPECT_EQ(bucket("{}", R"({"m": "log3"})"),
            "key 'm': unknown strategy 'log3'; did you mean 'log2', or a list "
            "of bins");
  for (const char *bins : {"[]", "[2, 1]", "[1, 1]", "[\"x\"]", "3"})
    EXPECT_NE(bucket("{}", std::string(R"({"m": )") + bins + "}")
                  .find("expected 'exact', 'log2', 'align32' or a list of 1 to "
                        "1024 ascending numbers, found"),
              std::string::npos)
        << bins;
}

static double distance(const char *a, const char *b) {
  return keyDistance(membersOf(canonical(a)), membersOf(canonical(b)));
}

TEST(KeyTest, MeasuresDistanceInPowersOfTwo) {
  EXPECT_EQ(distance(R"({"m": 7})", R"({"m": 7})"), 0);
  EXPECT_DOUBLE_EQ(distance(R"({"m": 7})", R"({"m": 15})"), 1);
  EXPECT_DOUBLE_EQ(distance(R"({"m": 7, "n": 1})", R"({"m": 63, "n": 31})"), 5);
  EXPECT_DOUBLE_EQ(distance(R"({"m": 0})", R"({"m": 1})"), 1);
  for (const char *other : {R"({"n": 7})", R"({"m": "7"})", R"({"m": -7})",
                            R"({"m": 7, "n": 1})", "{}"})
    EXPECT_TRUE(std::isinf(distance(R"({"m": 7})", other))) << other;
  EXPECT_EQ(distance(R"({"m": -7})", R"({"m": -7})"), 0);
  EXPECT_TRUE(std::isinf(distance(R"({"x": "f16"})", R"({"x": "f32"})")));
}
