// EnvironmentTest.cpp - what environment variables do to a runtime.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"

#include <fstream>
#include <gmock/gmock.h>
#include <map>
#include <thread>

using testing::HasSubstr;
using testing::Not;

namespace {
/// A runtime that reads the environment, which holds one variable.
class EnvironmentTest : public RuntimeFixture {
protected:
  void startWith(const char *name, const std::string &value) {
    stop();
    setenv(name, value.c_str(), 1);
    nereid_runtime_options_t options = {};
    options.struct_size = sizeof options;
    options.flags = NEREID_RUNTIME_NO_DISCOVERY;
    std::string cache = directory + "/cache";
    options.cache_dir = text(cache);
    options.user = this;
    options.log = log;
    created = nereid_runtime_create(&options, &runtime);
    unsetenv(name);
    if (created == NEREID_OK)
      ASSERT_EQ(nereid_runtime_register(runtime, fake_plugin(), &backend),
                NEREID_OK);
  }

  nereid_status_t created = NEREID_OK;
};
} // namespace

TEST_F(EnvironmentTest, CompileNeverMakesAMissAnError) {
  nereid_artifact_destroy(compile(request("known")));
  startWith("NEREID_COMPILE", "never");
  nereid_artifact_t *known = compile(request("known"));
  ASSERT_NE(known, nullptr) << lastError();
  nereid_artifact_destroy(known);
  EXPECT_THAT(compileError(request("unknown")),
              HasSubstr("compiling is forbidden"));
  nereid_compile_request_t part = request("known");
  part.stop_after = text("lower");
  EXPECT_THAT(compileError(part), HasSubstr("the request bypasses it"));
}

TEST_F(EnvironmentTest, CompileAlwaysIgnoresTheCache) {
  nereid_artifact_destroy(compile(request()));
  startWith("NEREID_COMPILE", "always");
  nereid_artifact_t *again = compile(request());
  ASSERT_NE(again, nullptr) << lastError();
  EXPECT_EQ(info(again).from_cache, 0u);
  nereid_artifact_destroy(again);
}

TEST_F(EnvironmentTest, CacheRemoteIsUsedAndCounted) {
  // Nothing listens on the port of tcpmux.
  startWith("NEREID_CACHE_REMOTE",
            "redis://:secret@127.0.0.1:1/2?timeout_ms=60000");
  nereid_artifact_destroy(compile(request()));
  nereid_artifact_destroy(compile(request("other")));
  nereid_cache_stat_t stat = {};
  stat.struct_size = sizeof stat;
  ASSERT_EQ(nereid_cache_stat(runtime, &stat), NEREID_OK);
  EXPECT_EQ(string(stat.remote), "redis://127.0.0.1:1/2");
  EXPECT_EQ(stat.remote_failures, 1u);
  EXPECT_EQ(stat.remote_skipped, 1u);
  EXPECT_EQ(stat.remote_hits + stat.remote_misses + stat.remote_stored, 0u);
  EXPECT_EQ(stat.entries, 2u);
  stop(); // no message comes later
  EXPECT_THAT(messages,
              HasSubstr("nereid: the remote cache redis://127.0.0.1:1/2 is not "
                        "used for now: it cannot be reached: Connection "
                        "refused"));
  EXPECT_THAT(messages, Not(HasSubstr("secret")));
}

TEST_F(EnvironmentTest, AWrongValueIsAnError) {
  startWith("NEREID_LOG", "loud");
  EXPECT_EQ(created, NEREID_INVALID_ARGUMENT);
  EXPECT_EQ(lastError(), "error: environment variable NEREID_LOG is 'loud', "
                         "expected 'error', 'warning', 'info' or 'debug'");
  runtime = nullptr;
}

TEST_F(EnvironmentTest, LogChoosesWhatTheCallbackGets) {
  startWith("NEREID_LOG", "error");
  nereid_artifact_destroy(compile(request()));
  EXPECT_EQ(messages, "");
  startWith("NEREID_LOG", "info");
  nereid_artifact_destroy(compile(request("other")));
  EXPECT_THAT(messages, HasSubstr("nereid: k.ttir: compiling with plugin "
                                  "'test.fake': no entry"));
}

TEST_F(EnvironmentTest, TraceShowsEveryStepWithItsThread) {
  std::string file = directory + "/trace.json";
  startWith("NEREID_TRACE", file);
  std::thread other([&] { nereid_artifact_destroy(compile(request())); });
  other.join();
  nereid_function_t *function = load();
  char block[16] = {};
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(::launch(function, 2, 1, 1, block, 16), NEREID_OK);
  nereid_function_destroy(function);
  stop();

  std::ifstream stream(file);
  nlohmann::json trace = nlohmann::json::parse(stream);
  std::map<std::string, int> counts;
  std::map<std::string, int> threads;
  for (const nlohmann::json &event : trace["traceEvents"]) {
    if (event["ph"] != "X")
      continue;
    ++counts[event["cat"]];
    threads[event["cat"]] = event["tid"];
  }
  EXPECT_EQ(counts["compile"], 2); // the second one was cached
  EXPECT_EQ(counts["stage"], 3);
  EXPECT_EQ(counts["load-image"], 1);
  EXPECT_EQ(counts["launch"], 5);
  EXPECT_NE(threads["stage"], threads["launch"]);
}

TEST_F(EnvironmentTest, ATraceThatCannotBeWrittenIsAWarning) {
  startWith("NEREID_TRACE", "/nowhere/trace.json");
  ASSERT_EQ(created, NEREID_OK);
  EXPECT_THAT(messages, HasSubstr("/nowhere/trace.json: cannot write"));
}
