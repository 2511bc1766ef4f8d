// LookupTest.cpp - which result a call uses, and what is said about the others.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "StoreFixture.h"

#include "store/Lookup.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <random>

using namespace nereid::ops;
using testing::HasSubstr;
using testing::StartsWith;

namespace {
class LookupTest : public testing::Test {
protected:
  /// Adds a result; its bucket is the next power of two.
  TunedResult &add(int n, const char *configuration, double median) {
    TunedResult result = resultOf(n, median);
    result.bucket = bucketOf(result.key, strategies).operator*();
    result.configuration = configuration;
    results.push_back(result);
    return results.back();
  }

  Choice lookUp(int n) {
    for (TunedResult &row : results)
      EXPECT_TRUE(normalize(row));
    rows = arrange(results);
    query.operatorName = "softmax";
    query.key = R"({"n":)" + std::to_string(n) + "}";
    query.bucket = *bucketOf(query.key, strategies);
    query.compiler = resultOf(1).compiler;
    query.device = resultOf(1).device;
    if (change)
      change(query);
    return nereid::ops::lookUp(rows, query, true);
  }

  /// "exact same {"B":1}", or "none".
  std::string chosen(int n) {
    Choice choice = lookUp(n);
    if (!choice.result)
      return "none";
    return std::string(matchName(choice.match)) + ' ' +
           std::string(trustName(choice.trust)) + ' ' +
           choice.result->configuration;
  }
  std::string verdict(int n, size_t index = 0) {
    Choice choice = lookUp(n);
    return index < choice.considered.size() ? choice.considered[index].verdict
                                            : "not considered";
  }

  Strategies strategies = *parseStrategies(R"({"n": "log2"})");
  std::vector<TunedResult> results;
  OperatorRows rows;
  Query query;
  void (*change)(Query &) = nullptr;
};
} // namespace

TEST_F(LookupTest, TriesTheKeyThenItsBucketThenTheNearest) {
  EXPECT_EQ(chosen(1000), "none");
  add(300, R"({"B":3})", 100);
  EXPECT_EQ(chosen(1000), R"(nearest same {"B":3})");
  add(600, R"({"B":2})", 100);
  EXPECT_EQ(chosen(1000), R"(bucket same {"B":2})");
  add(1000, R"({"B":1})", 100);
  EXPECT_EQ(chosen(1000), R"(exact same {"B":1})");
  EXPECT_EQ(chosen(900), R"(bucket same {"B":1})"); // 1000 is nearer than 600
  EXPECT_EQ(chosen(610), R"(bucket same {"B":2})");
}

TEST_F(LookupTest, DoesNotReachForKeysThatAreTooFar) {
  add(7, R"({"B":1})", 100);
  EXPECT_EQ(chosen(60), R"(nearest same {"B":1})");
  EXPECT_EQ(chosen(64), "none");
  EXPECT_EQ(verdict(64), "too far from the key");
  change = [](Query &query) { query.reach = 10; };
  EXPECT_EQ(chosen(64), R"(nearest same {"B":1})");
}

TEST_F(LookupTest, AnEqualOriginIsPreferredToANearOne) {
  add(1000, R"({"B":1})", 50).device.driver = "2";
  EXPECT_EQ(chosen(1000), R"(exact near {"B":1})");
  add(1000, R"({"B":2})", 100);
  EXPECT_EQ(chosen(1000), R"(exact same {"B":2})");
  EXPECT_EQ(verdict(1000, 0), "used");
  EXPECT_EQ(verdict(1000, 1), "not needed");
}

TEST_F(LookupTest, ADefaultThatWasComparedWithNothingDecidesLast) {
  add(1000, R"({})", 100).isDefault = true;
  EXPECT_EQ(chosen(1000), "exact same {}");
  EXPECT_EQ(verdict(1000), "used; only the default was measured");
  add(1000, R"({})", 90).device.driver = "2";
  results.back().isDefault = true;
  add(1000, R"({"B":1})", 50).device.driver = "2";
  EXPECT_EQ(chosen(1000), R"(exact near {"B":1})");
  EXPECT_EQ(verdict(1000, 0), "only the default was measured");
  EXPECT_EQ(verdict(1000, 1), "used");
  add(1000, R"({"B":2})", 200);
  EXPECT_EQ(chosen(1000), "exact same {}");
}

TEST_F(LookupTest, AForeignResultNeverWins) {
  add(1000, R"({"B":1})", 1).device.architecture = "znver5";
  add(1000, R"({"B":2})", 1).compiler.release = "0.2.0";
  EXPECT_EQ(chosen(1000), "none");
  EXPECT_EQ(verdict(1000, 0), "foreign: measured on znver5, this is znver4");
  EXPECT_EQ(verdict(1000, 1),
            "foreign: compiled by cpu 0.2.0, this is cpu 0.1.0");
}

TEST_F(LookupTest, TheFastestWinsUnlessTheDefaultIsAsFastWithinTheNoise) {
  add(1000, R"({"B":1})", 1000).isDefault = true;
  add(1000, R"({"B":2})", 990);
  EXPECT_EQ(chosen(1000), R"(exact same {"B":1})");
  add(1000, R"({"B":3})", 900);
  EXPECT_EQ(chosen(1000), R"(exact same {"B":3})");
}

TEST_F(LookupTest, TimesOfDifferentProtocolsAreNotCompared) {
  add(1000, R"({"B":1})", 1000).time = 2'000'000'000;
  add(1000, R"({"B":2})", 10).protocol = "wall-1";
  EXPECT_EQ(chosen(1000), R"(exact same {"B":1})"); // the newer one
  change = [](Query &query) { query.protocol = "wall-1"; };
  EXPECT_EQ(chosen(1000), R"(exact same {"B":2})");
}

TEST_F(LookupTest, ResultsThatAreNotOkOrWereGivenUpDoNotWin) {
  add(1000, R"({"B":1})", 1).status = "slow";
  EXPECT_EQ(verdict(1000), "no configuration was measured to its end");
  add(1000, R"({"B":2})", 1).status = "wrong";
  EXPECT_EQ(chosen(1000), "none");
  add(1000, R"({"B":3})", 100);
  EXPECT_EQ(chosen(1000), R"(exact same {"B":3})");
}

TEST_F(LookupTest, AConfigurationThatFailedHereIsReplacedByTheNextBest) {
  add(1000, R"({"B":1})", 100);
  add(1000, R"({"B":2})", 200);
  TunedResult &failed = add(1000, R"({"B":1})", 0);
  failed.status = "failed";
  failed.protocol = "run";
  failed.note = "out of shared memory";
  failed.time += 1;
  EXPECT_EQ(chosen(1000), R"(exact same {"B":2})");
  EXPECT_EQ(verdict(1000, 0), "quarantined: B=1 failed for n=1000: out of "
                              "shared memory");
  EXPECT_EQ(verdict(1000, 1),
            "used; quarantined: B=1 failed for n=1000: out of shared memory");
  // Its whole bucket avoids it, a key elsewhere does not.
  EXPECT_EQ(chosen(900), R"(bucket same {"B":2})");
  EXPECT_EQ(chosen(2000), R"(nearest same {"B":1})");
}

TEST_F(LookupTest, AChoiceHasWhatItCanBeComparedWith) {
  add(1000, R"({"B":1})", 100);
  add(1000, R"({"B":2})", 200);
  add(1000, R"({"B":3})", 300);
  add(1000, R"({"B":1})", 0).status = "failed";
  results.back().protocol = "run";
  results.back().time += 1;
  add(1000, R"({"B":4})", 50).compiler.build = "b2";
  Choice choice = lookUp(1000);
  ASSERT_TRUE(choice.result);
  EXPECT_EQ(choice.result->configuration, R"({"B":2})");
  ASSERT_EQ(choice.group.size(), 3u);
  for (const Comparable &row : choice.group)
    EXPECT_EQ(row.quarantine.empty(), row.result->configuration != R"({"B":1})")
        << row.quarantine;
}

TEST_F(LookupTest, ANewerMeasurementEndsAQuarantine) {
  add(1000, R"({"B":1})", 100).time += 5;
  TunedResult &failed = add(1000, R"({"B":1})", 0);
  failed.status = "crashed";
  failed.protocol = "run";
  EXPECT_EQ(chosen(1000), R"(exact same {"B":1})");
}

TEST_F(LookupTest, AFailureOfAnotherCompilerSaysNothing) {
  add(1000, R"({"B":1})", 100);
  TunedResult &failed = add(1000, R"({"B":1})", 0);
  failed.status = "failed";
  failed.compiler.build = "b2";
  failed.time += 1;
  EXPECT_EQ(chosen(1000), R"(exact same {"B":1})");
}

TEST_F(LookupTest, AVariantMayBeRequired) {
  add(1000, R"({"B":1})", 100).variant = "long";
  add(1000, R"({"B":2})", 200);
  EXPECT_EQ(chosen(1000), R"(exact same {"B":1})");
  change = [](Query &query) { query.variant = "row"; };
  EXPECT_EQ(chosen(1000), R"(exact same {"B":2})");
}

TEST_F(LookupTest, AnyTimeIsBetterThanNone) {
  add(1000, R"({"B":1})", 0);
  EXPECT_EQ(chosen(1000), R"(exact same {"B":1})");
  add(1000, R"({"B":2})", 5000);
  EXPECT_EQ(chosen(1000), R"(exact same {"B":2})");
}

TEST_F(LookupTest, ThePacksResultsComeAfterTheStores) {
  add(1000, R"({"B":1})", 100);
  add(600, R"({"B":2})", 100).time += 5;
  OperatorRows pack = arrange(results);
  auto chosenOfBoth = [&](int n) {
    lookUp(n); // of the store alone, which makes the query
    std::vector<const OperatorRows *> sources = {&rows, &pack};
    Choice choice = nereid::ops::lookUp(sources, query, false);
    return choice.result ? choice.result->configuration : "none";
  };
  results.clear();
  EXPECT_EQ(chosenOfBoth(1000), R"({"B":1})");
  add(1000, R"({"B":3})", 900).time -= 5;
  EXPECT_EQ(chosenOfBoth(1000), R"({"B":3})");
  // But what is nearer, or is trusted more, comes first.
  EXPECT_EQ(chosenOfBoth(600), R"({"B":2})");
  results.back().device.driver = "2";
  EXPECT_EQ(chosenOfBoth(1000), R"({"B":1})");
  // A failure that the store has seen counts against the pack's.
  TunedResult &failed = add(1000, R"({"B":1})", 0);
  failed.status = "failed";
  failed.time += 5;
  EXPECT_EQ(chosenOfBoth(1000), R"({"B":3})");
}

TEST_F(LookupTest, AnExplanationChangesNothing) {
  std::mt19937 random(7);
  auto pick = [&](unsigned below) { return random() % below; };
  size_t found = 0;
  for (int round = 0; round < 500; ++round) {
    results.clear();
    for (unsigned i = pick(12); i--;) {
      static constexpr const char *configurations[] = {
          R"({"B":1})", R"({"B":2})", R"({"B":3})"};
      static constexpr int sizes[] = {60, 100, 120, 128, 500};
      TunedResult &row = add(sizes[pick(5)], configurations[pick(3)],
                             static_cast<double>(100 + pick(50)));
      static constexpr const char *statuses[] = {"ok",   "ok",    "ok",
                                                 "slow", "wrong", "failed"};
      row.status = statuses[pick(6)];
      row.time += pick(3);
      row.isDefault = pick(3) == 0;
      if (pick(3) == 0)
        row.device.driver = "2";
      if (pick(4) == 0)
        row.device.architecture = "znver5";
      if (pick(3) == 0)
        row.protocol = "wall-1";
    }
    Choice explained = lookUp(110);
    Choice plain = nereid::ops::lookUp(rows, query, false);
    ASSERT_EQ(explained.result, plain.result) << round;
    if (!plain.result)
      continue;
    ++found;
    EXPECT_TRUE(plain.result->isOk());
    EXPECT_EQ(plain.match, explained.match);
    EXPECT_NE(plain.trust, Trust::Foreign);
    auto used =
        std::find_if(explained.considered.begin(), explained.considered.end(),
                     [](const Considered &group) {
                       return group.verdict.starts_with("used");
                     });
    ASSERT_NE(used, explained.considered.end());
    EXPECT_EQ(used->result, plain.result);
  }
  EXPECT_GT(found, 100u);
}

TEST_F(LookupTest, ExplainsAsJson) {
  add(600, R"({"B":2})", 100);
  add(300, R"({"B":3})", 100);
  add(300, R"({"B":3})", 100).device.architecture = "znver5";
  Choice choice = lookUp(1000);
  nlohmann::json json = nlohmann::json::parse(choiceJson(query, choice).dump());
  EXPECT_EQ(json["operator"], "softmax");
  EXPECT_EQ(json["key"]["n"], 1000);
  EXPECT_EQ(json["bucket"]["n"], 1024);
  EXPECT_EQ(json["choice"]["match"], "bucket");
  EXPECT_EQ(json["choice"]["configuration"]["B"], 2);
  ASSERT_EQ(json["considered"].size(), 3u);
  EXPECT_EQ(json["considered"][2]["trust"], "foreign");
  EXPECT_EQ(json["left_out"], 0);
  for (int n = 1; n <= 200; ++n)
    add(n, R"({"B":1})", 100);
  choice = lookUp(1000);
  EXPECT_EQ(choice.considered.size(), 64u);
  EXPECT_EQ(choice.leftOut, 203u - 64u);
}
