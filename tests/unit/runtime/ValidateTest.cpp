// ValidateTest.cpp - the conformance checks: a good plugin passes, and a
// careless one is told each thing that is wrong.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <map>

using testing::HasSubstr;

namespace {
struct Outcome {
  std::string result, detail;
};
} // namespace

static nereid_validate_request_t requestFor(std::string_view path,
                                            std::string_view compiler = {}) {
  nereid_validate_request_t request = {};
  request.struct_size = sizeof request;
  request.path = text(path);
  request.compiler = text(compiler);
  return request;
}

static nlohmann::json validateAsJson(std::string_view path,
                                     std::string_view compiler = {}) {
  nereid_validate_request_t request = requestFor(path, compiler);
  return jsonOf([&](nereid_buffer_t **out) {
    return nereid_validate_plugin(&request, out);
  });
}

static std::map<std::string, Outcome> validate(std::string_view path,
                                               std::string_view compiler = {}) {
  nlohmann::json list = validateAsJson(path, compiler);
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

TEST(ValidateTest, ASoundAsynchronousPluginPassesEveryCheck) {
  for (const auto &[check, outcome] : validate(NEREID_LAZY_PLUGIN))
    EXPECT_EQ(outcome.result, "pass") << check << ": " << outcome.detail;
}

namespace {
struct Bug {
  const char *name, *check, *detail;
};
} // namespace

class BuggyPlugin : public testing::TestWithParam<Bug> {};

TEST_P(BuggyPlugin, FailsTheCheckOfItsBug) {
  Bug bug = GetParam();
  setenv("NEREID_TEST_BUG", bug.name, 1);
  std::map<std::string, Outcome> outcomes = validate(NEREID_LAZY_PLUGIN);
  unsetenv("NEREID_TEST_BUG");
  EXPECT_EQ(outcomes[bug.check].result, "fail");
  EXPECT_THAT(outcomes[bug.check].detail, HasSubstr(bug.detail));
}

INSTANTIATE_TEST_SUITE_P(
    ValidateTest, BuggyPlugin,
    testing::Values(
        Bug{"create-crashes", "loads", "crashed: Aborted in its create"},
        Bug{"canonical-constant", "option-in-key", "option 'fast' = 'true'"},
        Bug{"devices-share-memory", "memory-separate", "another buffer"},
        Bug{"default-stream", "memory-round-trip", "device 1"},
        Bug{"mask-ignored", "launch-masked", "which its mask excludes"},
        Bug{"fill-first-byte", "memory-fill", "a pattern of 2 bytes"},
        Bug{"pitch-ignored", "memory-copy-2d", "other bytes"},
        Bug{"peer-nothing", "memory-copy-peer", "from device 0 to device 1"},
        Bug{"host-unaligned", "memory-host", "a multiple of 64"},
        Bug{"info-swapped", "memory-info", "free of"},
        Bug{"imports-anything", "interop-pointer", "no.such.kind"},
        Bug{"unknown-precision", "frontend-facts", "'IEEE', expected one of"},
        Bug{"elapsed-negative", "event-elapsed", "-1000000000"},
        Bug{"elapsed-nonsense", "event-elapsed", "ns for work that took"},
        Bug{"event-early", "events", "did not wait"},
        Bug{"event-never-reached", "events", "never recorded"},
        Bug{"wait-ignored", "event-order", "started before the event"},
        Bug{"query-done", "stream-query", "but it has not"},
        Bug{"destroy-drops-work", "stream-destroy", "did not wait"},
        Bug{"device-synchronize-default-only", "synchronize-device", "all of"},
        Bug{"fault-lost", "fault-reported", "neither launch nor"},
        Bug{"free-noop", "memory-released", "is not released"},
        Bug{"synchronize-early", "synchronize-waits", "returned before"},
        Bug{"unknown-type", "image-metadata", "type 'bogus'"},
        Bug{"damage-accepted", "damaged-source-refused", "is compiled"},
        Bug{"damage-without-reason", "damaged-source-refused",
            "gave no reason"},
        Bug{"compiler-leaves-thread", "shutdown-ends-compiler",
            "threads of the compiler"},
        Bug{"compiler-leaves-process", "shutdown-ends-compiler",
            "left processes of the compiler"},
        Bug{"few-arguments", "launch", "1 arguments of a kernel with 3"},
        Bug{"property-type", "device-properties", "expected a i64-list"},
        Bug{"property-range", "device-properties", "expected at least 1"},
        Bug{"negative-warp", "device-target", "warp_size -5"}),
    [](const auto &info) {
      std::string name = info.param.name;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(ValidateTest, ADriverAloneIsLaunchedWithTheCompilerThatIsNamed) {
  std::map<std::string, Outcome> alone = validate(NEREID_LAZY_DRIVER_PLUGIN);
  EXPECT_EQ(alone["launch"].result, "skip");
  EXPECT_THAT(alone["launch"].detail, HasSubstr("--plugin COMPILER.so"));
  std::map<std::string, Outcome> helped =
      validate(NEREID_LAZY_DRIVER_PLUGIN, NEREID_LAZY_PLUGIN);
  EXPECT_EQ(helped["launch"].result, "pass") << helped["launch"].detail;
  EXPECT_EQ(helped["fault-reported"].result, "pass");
  EXPECT_EQ(helped["option-schema"].result, "skip");
}

TEST(ValidateTest, TheDocumentationListsTheChecks) {
  std::ifstream file(NEREID_SOURCE_DIR "/docs/validate.md");
  std::vector<std::string> listed, known;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("| `"))
      listed.push_back(line);
  for (const nlohmann::json &check : validateAsJson("/proc/self/exe"))
    known.push_back("| `" + check["check"].get<std::string>() + "` | " +
                    check["about"].get<std::string>() + " |");
  EXPECT_EQ(listed, known);
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
  nereid_validate_request_t request = requestFor("/nowhere.so");
  EXPECT_EQ(nereid_validate_plugin(&request, &json), NEREID_NOT_FOUND);
  EXPECT_THAT(lastError(), HasSubstr("/nowhere.so: cannot be read"));
}
