// ValidateTest.cpp - the conformance checks: a good plugin passes, and a
// careless one is told each thing that is wrong.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"

#include <gmock/gmock.h>
#include <map>

using testing::HasSubstr;

namespace {
struct Outcome {
  std::string result, detail;
};
} // namespace

static std::map<std::string, Outcome> validate(std::string_view path) {
  nlohmann::json list = jsonOf([&](nereid_buffer_t **out) {
    return nereid_validate_plugin(text(path), out);
  });
  std::map<std::string, Outcome> outcomes;
  for (const nlohmann::json &item : list)
    outcomes[item["check"]] = {item["result"], item["detail"]};
  return outcomes;
}

TEST(ValidateTest, TheExtensionPluginPassesEveryCheck) {
  std::map<std::string, Outcome> outcomes = validate(NEREID_EXTENSION_PLUGIN);
  EXPECT_GE(outcomes.size(), 20u);
  for (const auto &[check, outcome] : outcomes)
    EXPECT_NE(outcome.result, "fail") << check << ": " << outcome.detail;
  EXPECT_EQ(outcomes["compile-repeatable"].result, "pass");
  EXPECT_EQ(outcomes["memory-round-trip"].result, "pass");
}

TEST(ValidateTest, ACarelessPluginFailsWhereItIsCareless) {
  std::map<std::string, Outcome> outcomes = validate(NEREID_CARELESS_PLUGIN);
  std::map<std::string, std::string> expected = {
      // How many depends: a sanitizer has a thread of its own.
      {"shutdown-joins-threads", "threads running"},
      {"process-ends", "crashed with signal 6 (Aborted) in its destructors"},
      {"option-schema", "option 'second' has no doc"},
      {"option-defaults", "with every default written out"},
      {"option-canonical-text", "depends on the order of the options"},
      {"unknown-option-refused", "accepts the unknown option"},
      {"probe-repeatable", "probe leaves a file open"},
      {"device-target", "is for 'another', expected the device type"},
      {"device-properties", "have no 'name'"},
      {"memory-round-trip", "crashed: Aborted"},
      {"garbage-image-refused", "without a diagnostic"},
      {"compile-repeatable", "gave other bytes the second time"},
      {"image-metadata", "has no 'name'"},
  };
  for (const auto &[check, why] : expected) {
    EXPECT_EQ(outcomes[check].result, "fail") << check;
    EXPECT_THAT(outcomes[check].detail, HasSubstr(why)) << check;
  }
  EXPECT_EQ(outcomes["loads"].result, "pass");
  EXPECT_EQ(outcomes["note"].result, "pass");
  EXPECT_EQ(outcomes["one-exported-symbol"].result, "pass");
}

TEST(ValidateTest, WaitsForNoProcessThatThePluginLeavesBehind) {
  setenv("NEREID_TEST_LEAVES_PROCESS", std::to_string(getpid()).c_str(), 1);
  std::map<std::string, Outcome> outcomes = validate(NEREID_CARELESS_PLUGIN);
  unsetenv("NEREID_TEST_LEAVES_PROCESS");
  EXPECT_EQ(outcomes["loads"].result, "pass") << outcomes["loads"].detail;
}

TEST(ValidateTest, AFileThatDoesNotLoadSkipsTheRest) {
  std::map<std::string, Outcome> outcomes = validate("/proc/self/exe");
  EXPECT_EQ(outcomes["note"].result, "fail");
  EXPECT_EQ(outcomes["loads"].result, "fail");
  EXPECT_EQ(outcomes["stages"].result, "skip");
  EXPECT_EQ(outcomes["stages"].detail, "check 'loads' did not pass");
}

TEST(ValidateTest, AMissingFileIsAnError) {
  nereid_buffer_t *json = nullptr;
  EXPECT_EQ(nereid_validate_plugin(text("/nowhere.so"), &json),
            NEREID_NOT_FOUND);
  EXPECT_THAT(lastError(), HasSubstr("/nowhere.so: cannot be read"));
}
