// TuningTest.cpp - tuned results in calls: which one is taken, what is written
// down, and what happens if its kernel does not work.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "ShiftPack.h"

#include "store/Exchange.h"
#include "store/Origin.h"
#include "store/Store.h"

#include <gmock/gmock.h>

#include <thread>

using namespace nereid::test;
using nereid::ops::Origin;
using nereid::ops::Store;
using nereid::ops::TunedResult;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {
class TuningTest : public ShiftPack {
protected:
  std::unique_ptr<Operators> open(std::string tuning) {
    Operators::Options options;
    options.packs = folder + "/pack";
    options.kernels = &source.source;
    options.tuning = std::move(tuning);
    options.store = path();
    return std::make_unique<Operators>(options);
  }
  std::string path() const { return folder + "/tuned.db"; }

  /// This device, as results are labelled with it.
  Origin here() {
    static const Origin origin = [&] {
      auto operators = open("off");
      auto found = nereid::ops::originOf(operators->backend, 0);
      EXPECT_TRUE(found) << found.failure().text;
      return found ? *found : Origin();
    }();
    return origin;
  }
  TunedResult result(int add, double median, int n = 16) {
    TunedResult row;
    row.operatorName = "shift";
    row.key = R"({"n":)" + std::to_string(n) + R"(,"x":"f32"})";
    row.bucket = row.key;
    row.variant = "plain";
    row.configuration = R"({"ADD":)" + std::to_string(add) + "}";
    row.status = "ok";
    row.median = median;
    row.spread = 1;
    row.samples = 30;
    row.protocol = "test";
    row.compiler = here().compiler;
    row.device = here().device;
    row.time = 1'700'000'000;
    return row;
  }
  void record(const std::vector<TunedResult> &rows) {
    auto store = Store::open({.path = path()});
    ASSERT_TRUE(store) << store.failure().text;
    auto done = (*store)->record(rows);
    ASSERT_TRUE(done) << done.failure().text;
  }
  std::vector<TunedResult> recorded() {
    auto store = Store::open({.path = path()});
    EXPECT_TRUE(store) << store.failure().text;
    return store ? *(*store)->read() : std::vector<TunedResult>();
  }
  /// The explanation of a call with 16 elements.
  static Json explain(Operators &operators) {
    nereid_buffer_t *buffer = nullptr;
    std::string call = R"({"inputs": {"x": {"shape": [16], "dtype": "f32"}}})";
    EXPECT_EQ(nereid_ops_device_explain(operators.device, borrow("shift"),
                                        borrow(call), &buffer),
              NEREID_OK)
        << lastError();
    nereid_bytes_t bytes = nereid_buffer_bytes(buffer);
    Json json = Json::parse(
        std::string(static_cast<const char *>(bytes.data), bytes.size));
    nereid_buffer_destroy(buffer);
    return json;
  }
};
} // namespace

TEST_F(TuningTest, TheBestResultOfThisDeviceDecides) {
  record({result(2, 100), result(3, 50), result(4, 200)});
  EXPECT_EQ(added(*open("use")), "3");
  EXPECT_EQ(added(*open("off")), "1");
}

TEST_F(TuningTest, AResultMayNameAnotherVariant) {
  TunedResult row = result(2, 50);
  row.variant = "other";
  row.configuration = "{}";
  record({row});
  EXPECT_EQ(added(*open("use")), "100");
}

TEST_F(TuningTest, TheBucketAndTheNearestKeyAreTakenToo) {
  TunedResult row = result(3, 50, 13);
  row.bucket = R"({"n":16,"x":"f32"})";
  record({row});
  auto operators = open("use");
  EXPECT_EQ(added(*operators, 16), "3");
  EXPECT_EQ(added(*operators, 20), "3");
  EXPECT_EQ(added(*operators, 5000), "1");
}

TEST_F(TuningTest, ResultsOfOtherCompilersNeverDecide) {
  TunedResult row = result(3, 50);
  row.compiler.release += "-other";
  record({row});
  auto operators = open("use");
  EXPECT_EQ(added(*operators), "1");
  Json tuned = explain(*operators)["tuned"];
  EXPECT_TRUE(tuned["choice"].is_null());
  EXPECT_THAT(tuned["considered"][0].value("verdict", ""),
              HasSubstr("foreign: compiled by"));
}

TEST_F(TuningTest, ResultsThatComeWithThePackAreUsed) {
  auto text = nereid::ops::exportResults({result(4, 50)}, "json");
  ASSERT_TRUE(text);
  write("tuned/here.json", text->text);
  EXPECT_EQ(added(*open("use")), "4");
  // Those of the store come first.
  record({result(2, 90)});
  EXPECT_EQ(added(*open("use")), "2");
}

TEST_F(TuningTest, WhatThePacksDoNotHaveIsLeftOut) {
  TunedResult variant = result(2, 5);
  variant.variant = "gone";
  record({result(77, 10), variant, result(3, 50)});
  auto operators = open("use");
  EXPECT_EQ(added(*operators), "3");
  Json explained = explain(*operators);
  EXPECT_EQ(explained["launches"][0]["constants"]["ADD"], 3);
  EXPECT_EQ(explained["tuned"]["choice"]["match"], "exact");
  EXPECT_EQ(explained["tuned"]["choice"]["trust"], "same");
  EXPECT_THAT(
      explained["tuned"]["considered"][0].value("verdict", ""),
      HasSubstr("not used: the packs do not have variant 'plain' with ADD=77"));
}

TEST_F(TuningTest, AKernelThatFailsIsSetAsideForGood) {
  record({result(2, 100), result(3, 50)});
  source.broken = {3};
  auto operators = open("use");
  EXPECT_EQ(added(*operators), "2");
  EXPECT_THAT(source.made, ElementsAre(3, 2));
  std::vector<TunedResult> rows = recorded();
  ASSERT_THAT(rows, SizeIs(3));
  auto failed = std::ranges::find(rows, "run", &TunedResult::protocol);
  ASSERT_NE(failed, rows.end());
  EXPECT_EQ(failed->status, "failed");
  EXPECT_EQ(failed->configuration, R"({"ADD":3})");
  EXPECT_THAT(failed->note, HasSubstr("no kernel adds 3"));
  // The next process does not try it.
  source.made.clear();
  auto next = open("use");
  EXPECT_EQ(added(*next), "2");
  EXPECT_THAT(source.made, ElementsAre(2));
  EXPECT_THAT(explain(*next)["tuned"]["considered"][0].value("verdict", ""),
              HasSubstr("quarantined: ADD=3 failed"));
}

TEST_F(TuningTest, AFaultThatPassesIsNotWrittenDown) {
  record({result(3, 50)});
  source.broken = {3};
  source.status = NEREID_UNAVAILABLE;
  EXPECT_EQ(added(*open("use")), "1");
  EXPECT_THAT(recorded(), SizeIs(1));
  source.broken = {};
  EXPECT_EQ(added(*open("use")), "3");
}

TEST_F(TuningTest, ADefaultThatFailsIsTheCallsError) {
  source.broken = {1, 3};
  record({result(3, 50)});
  EXPECT_THAT(added(*open("use")), HasSubstr("no kernel adds 1"));
}

TEST_F(TuningTest, AFailureOfAPacksResultIsWrittenToANewStore) {
  auto text = nereid::ops::exportResults({result(4, 50)}, "json");
  write("tuned/here.json", text->text);
  source.broken = {4};
  EXPECT_EQ(added(*open("use")), "1");
  ASSERT_THAT(recorded(), SizeIs(1));
  EXPECT_EQ(recorded()[0].protocol, "run");
}

TEST_F(TuningTest, RecordWritesDownWhatIsMissing) {
  {
    auto operators = open("record");
    EXPECT_EQ(added(*operators, 16), "1");
    EXPECT_EQ(added(*operators, 16), "1");
    EXPECT_EQ(added(*operators, 4000), "1");
  }
  EXPECT_EQ(added(*open("record"), 16), "1");
  std::vector<TunedResult> rows = recorded();
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].status, "wanted");
  EXPECT_EQ(rows[0].key, R"({"n":16,"x":"f32"})");
  EXPECT_EQ(rows[1].bucket, R"({"n":4096,"x":"f32"})");
  EXPECT_EQ(rows[0].compiler, here().compiler);
  EXPECT_EQ(rows[0].device, here().device);
  // The call can be made again from it.
  Json call = Json::parse(rows[1].note);
  EXPECT_EQ(call["inputs"]["x"]["shape"], Json({4000}));
  EXPECT_EQ(call["inputs"]["x"]["dtype"], "f32");
  // It is no result: lookups, and explanations, do not see it.
  auto operators = open("use");
  EXPECT_EQ(added(*operators), "1");
  EXPECT_THAT(explain(*operators)["tuned"]["considered"], IsEmpty());
}

TEST_F(TuningTest, RecordWritesNothingDownForAResultOfThisDevice) {
  record({result(3, 50)});
  EXPECT_EQ(added(*open("record")), "3");
  EXPECT_THAT(recorded(), SizeIs(1));
  // A result of a near device decides, and its own is still wanted.
  TunedResult near = result(2, 50, 64);
  near.device.name = "another of that architecture";
  record({near});
  EXPECT_EQ(added(*open("record"), 64), "2");
  EXPECT_THAT(recorded(), SizeIs(3));
}

TEST_F(TuningTest, UseMakesNoFile) {
  EXPECT_EQ(added(*open("use")), "1");
  EXPECT_FALSE(fs::exists(path()));
  Json tuned = explain(*open("use"))["tuned"];
  EXPECT_EQ(tuned["mode"], "use");
  EXPECT_EQ(tuned["store"], path());
}

TEST_F(TuningTest, ADamagedStoreDisturbsNoCall) {
  std::ofstream(path()) << std::string(10000, 'x');
  EXPECT_EQ(added(*open("use")), "1");
  EXPECT_EQ(added(*open("record")), "1");
  EXPECT_THAT(recorded(), SizeIs(1));
}

TEST_F(TuningTest, ManyThreadsChooseAtOnce) {
  record({result(2, 100), result(3, 50)});
  source.broken = {3};
  auto operators = open("use");
  std::vector<std::string> answers(8);
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < answers.size(); ++i)
      threads.emplace_back([&, i] { answers[i] = added(*operators); });
  }
  EXPECT_THAT(answers, Each(std::string("2")));
}

TEST_F(TuningTest, AnUnknownModeIsRefusedWithTheKnownOnes) {
  auto operators = open("use");
  nereid_ops_load_t load = {};
  load.struct_size = sizeof load;
  load.runtime = operators->runtime;
  load.backend = operators->backend;
  load.tuning = borrow("always");
  nereid_ops_device_t *device = nullptr;
  EXPECT_EQ(nereid_ops_load(operators->ops, &load, &device),
            NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(lastError(), "error: the tuning mode is 'always', expected one of "
                         "'off', 'use', 'record', 'on'");
  for (const char *text : {"on:", "on:x", "on:-1", "on:1s", "on:nan"}) {
    load.tuning = borrow(text);
    EXPECT_EQ(nereid_ops_load(operators->ops, &load, &device),
              NEREID_INVALID_ARGUMENT)
        << text;
    EXPECT_THAT(lastError(), HasSubstr("expected seconds after 'on:'"));
  }
  load.tuning = {};
  setenv("NEREID_TUNING", "yes", 1);
  EXPECT_EQ(nereid_ops_load(operators->ops, &load, &device),
            NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(lastError(), HasSubstr("NEREID_TUNING is 'yes'"));
  setenv("NEREID_TUNING", "off", 1);
  EXPECT_EQ(nereid_ops_load(operators->ops, &load, &device), NEREID_OK);
  unsetenv("NEREID_TUNING");
  nereid_ops_device_destroy(device);
}
