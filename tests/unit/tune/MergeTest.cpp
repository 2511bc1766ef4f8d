// MergeTest.cpp - stores that are put together and compared.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "StoreFixture.h"

#include "store/Merge.h"

#include <nlohmann/json.hpp>

using namespace nereid::ops;
using testing::ElementsAre;
using Json = nlohmann::ordered_json;

// A result of the same identity with another status.
static TunedResult withStatus(const char *word, int64_t time) {
  TunedResult result = resultOf(7, 100);
  result.status = word;
  result.time = time;
  return result;
}

TEST(MergeTest, KeepsTheFasterOfTheSameProtocol) {
  Merge merge = mergeResults({resultOf(1, 100), resultOf(2, 100)},
                             {resultOf(1, 50), resultOf(2, 150), resultOf(3)});
  EXPECT_EQ(merge.faster, 1u);
  EXPECT_EQ(merge.kept, 1u);
  EXPECT_EQ(merge.added, 1u);
  ASSERT_EQ(merge.changes.size(), 2u);
  EXPECT_EQ(merge.changes[0].median, 50);
  EXPECT_EQ(merge.changes[1].key, R"({"n":3})");
  EXPECT_TRUE(merge.notes.empty());
}

TEST(MergeTest, MergingTwiceChangesNothing) {
  std::vector<TunedResult> results = {resultOf(1), resultOf(2)};
  Merge merge = mergeResults(results, results);
  EXPECT_EQ(merge.equal, 2u);
  EXPECT_TRUE(merge.changes.empty());
}

TEST(MergeTest, KeepsBothOfDifferentProtocolsAndSaysSo) {
  TunedResult other = resultOf(7, 5);
  other.protocol = "wall-1";
  Merge merge = mergeResults({resultOf(7, 100)}, {other});
  EXPECT_EQ(merge.added, 1u);
  EXPECT_THAT(
      merge.notes,
      ElementsAre("softmax n=7, row BLOCK=1024 num_warps=4: measured by "
                  "'events-1' here and by 'wall-1' there, both are "
                  "kept"));
}

TEST(MergeTest, OfDifferentStatusesTheNewerRemains) {
  Merge merge = mergeResults({withStatus("ok", 10)}, {withStatus("wrong", 20)});
  EXPECT_EQ(merge.changed, 1u);
  ASSERT_EQ(merge.changes.size(), 1u);
  EXPECT_EQ(merge.changes[0].status, "wrong");
  EXPECT_THAT(merge.notes,
              ElementsAre("softmax n=7, row BLOCK=1024 num_warps=4: 'ok' here "
                          "and 'wrong' there, the newer 'wrong' remains"));
  merge = mergeResults({withStatus("ok", 20)}, {withStatus("crashed", 10)});
  EXPECT_TRUE(merge.changes.empty());
  EXPECT_EQ(merge.kept, 1u);
}

TEST(MergeTest, ATimeIsBetterThanNone) {
  EXPECT_EQ(mergeResults({resultOf(1, 0)}, {resultOf(1, 50)}).faster, 1u);
  EXPECT_EQ(mergeResults({resultOf(1, 50)}, {resultOf(1, 0)}).kept, 1u);
}

TEST(MergeTest, NotesAreCut) {
  std::vector<TunedResult> own, others;
  for (int n = 0; n < 30; ++n) {
    own.push_back(resultOf(n));
    others.push_back(resultOf(n));
    others.back().protocol = "wall-1";
  }
  Merge merge = mergeResults(own, others);
  EXPECT_EQ(merge.notes.size(), 20u);
  EXPECT_EQ(merge.json()["notes_left_out"], 10);
}

// ----------------------------------------------------------------------- diff

TEST(DiffTest, CountsWhatChangedBeyondTheNoise) {
  std::vector<TunedResult> before = {resultOf(1, 1000), resultOf(2, 1000),
                                     resultOf(3, 1000), resultOf(4, 1000)};
  std::vector<TunedResult> after = {resultOf(1, 1005), resultOf(2, 2000),
                                    resultOf(3, 500), resultOf(5, 1000)};
  Json diff = diffResults(before, after);
  EXPECT_EQ(diff["counts"],
            Json::parse(R"({"same": 1, "faster": 1, "slower": 1, "status": 0,
                            "added": 1, "removed": 1})"));
  ASSERT_EQ(diff["changes"].size(), 4u);
  EXPECT_EQ(diff["changes"][0]["verdict"], "slower");
  EXPECT_EQ(diff["changes"][0]["key"]["n"], 2);
  EXPECT_EQ(diff["changes"][0]["ratio"], 2);
  EXPECT_EQ(diff["winners"].size(), 5u);
}

TEST(DiffTest, ComparesBuildsOfACompiler) {
  TunedResult newer = resultOf(1, 500), newest = resultOf(1, 400);
  newer.compiler.build = "b2";
  newest.compiler.build = "b3";
  newest.time += 5;
  Json diff = diffResults({resultOf(1, 1000)}, {newer, newest});
  ASSERT_EQ(diff["changes"].size(), 1u);
  EXPECT_EQ(diff["changes"][0]["ratio"], 0.4);
  EXPECT_EQ(diff["changes"][0]["after"]["compiler_build"], "b3");
}

TEST(DiffTest, SaysWhetherTheWinnerIsAnother) {
  TunedResult other = resultOf(1, 100);
  other.configuration = R"({"BLOCK":64})";
  Json diff = diffResults({resultOf(1, 1000)}, {resultOf(1, 1000), other});
  ASSERT_EQ(diff["winners"].size(), 1u);
  EXPECT_EQ(diff["winners"][0]["is_other"], true);
  EXPECT_EQ(diff["winners"][0]["verdict"], "faster");
  EXPECT_EQ(diff["counts"]["added"], 1);
}

TEST(DiffTest, StatusesAreCompared) {
  Json diff = diffResults({withStatus("ok", 1)}, {withStatus("crashed", 2)});
  EXPECT_EQ(diff["counts"]["status"], 1);
  EXPECT_EQ(diff["changes"][0]["after"]["status"], "crashed");
  // A winner that is gone is removed.
  EXPECT_EQ(diff["winners"][0]["verdict"], "removed");
}
