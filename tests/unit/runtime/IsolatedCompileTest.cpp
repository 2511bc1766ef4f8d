// IsolatedCompileTest.cpp - compiling in a process of its own: equal results,
// and failures that are errors.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"

#include <gmock/gmock.h>

#include <atomic>
#include <fstream>
#include <future>
#include <thread>

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

namespace {
class IsolatedCompileTest : public RuntimeFixture {
protected:
  void SetUp() override {
    RuntimeFixture::SetUp();
    open(NEREID_RUNTIME_ISOLATED_COMPILE);
  }

  /// A runtime with the plugin in which everything may happen.
  void open(uint32_t flags, uint32_t timeout = 0) {
    stop();
    messages.clear();
    nereid_runtime_options_t options = {};
    options.struct_size = sizeof options;
    options.flags = flags | NEREID_RUNTIME_NO_DISCOVERY |
                    NEREID_RUNTIME_IGNORE_ENVIRONMENT |
                    NEREID_RUNTIME_ALLOW_WRITABLE;
    std::string cache = directory + "/cache";
    options.cache_dir = text(cache);
    options.compile_timeout_ms = timeout;
    options.user = static_cast<RuntimeFixture *>(this);
    options.log = log;
    ASSERT_EQ(nereid_runtime_create(&options, &runtime), NEREID_OK);
    ASSERT_EQ(nereid_runtime_load(runtime, text(MISHAP_PLUGIN), &backend),
              NEREID_OK)
        << lastError();
  }

  nereid_compile_request_t of(std::string_view source) {
    nereid_compile_request_t wanted = request(source);
    wanted.target = &target;
    return wanted;
  }

  /// The image, or "" and the error.
  std::string image(std::string_view source, OptionTexts options = {}) {
    nereid_artifact_t *artifact = compile(of(source), options);
    std::string result = artifact ? output(artifact) : "";
    nereid_artifact_destroy(artifact);
    return result;
  }

  nereid_target_t target = {sizeof(nereid_target_t), 0, text("mishap"),
                            text("a"), text("b")};
};
} // namespace

TEST_F(IsolatedCompileTest, GivesTheSameResultAndKey) {
  nlohmann::json described[2];
  std::string saved[2];
  for (uint32_t flags : {0u, uint32_t(NEREID_RUNTIME_ISOLATED_COMPILE)}) {
    open(flags | NEREID_RUNTIME_NO_CACHE);
    nereid_compile_request_t wanted = of("some text");
    wanted.flags = NEREID_COMPILE_KEEP_STAGES;
    nereid_artifact_t *artifact = compile(wanted, {{"level", "7"}});
    ASSERT_NE(artifact, nullptr) << lastError();
    EXPECT_EQ(output(artifact), "image of some text");
    nereid_bytes_t middle = {};
    EXPECT_EQ(nereid_artifact_stage(artifact, text("first"), &middle),
              NEREID_OK);
    EXPECT_EQ(std::string(static_cast<const char *>(middle.data), middle.size),
              "some text");
    described[flags != 0] = jsonOf([&](nereid_buffer_t **out) {
      return nereid_artifact_describe(artifact, out);
    });
    nereid_artifact_destroy(artifact);
  }
  EXPECT_EQ(described[0]["key"], described[1]["key"]);
  EXPECT_EQ(described[0]["metadata"], described[1]["metadata"]);
  EXPECT_EQ(described[1]["metadata"]["level"], 7);
  EXPECT_EQ(described[1]["stages"].size(), 2u);
  EXPECT_GE(described[1]["stages"][1]["nanoseconds"].get<int64_t>(), 0);
}

// A sanitizer has its own handlers and exit codes.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static constexpr bool isSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
static constexpr bool isSanitized = true;
#else
static constexpr bool isSanitized = false;
#endif
#else
static constexpr bool isSanitized = false;
#endif

TEST_F(IsolatedCompileTest, AFailureIsAnErrorOfOneCompilation) {
  struct {
    const char *source;
    const char *error;
  } cases[] = {
      {"crash", "k.ttir: plugin 'mishap': the compiler's process failed: it "
                "crashed with signal 6 (Aborted)\nnote: it printed: assertion "
                "failed: no reason"},
      {"fault", "it crashed with signal 11"},
      {"exit", "it ended with status 5"},
  };
  for (const auto &each : cases) {
    EXPECT_EQ(image(each.source), "");
    EXPECT_THAT(lastError(),
                HasSubstr(isSanitized ? "the compiler's process failed: it "
                                      : each.error));
    EXPECT_EQ(image("fine"), "image of fine") << lastError();
  }
}

TEST_F(IsolatedCompileTest, AHangEndsAtTheLimit) {
  open(NEREID_RUNTIME_ISOLATED_COMPILE, 1000);
  EXPECT_EQ(image("hang"), "");
  EXPECT_THAT(lastError(), AllOf(HasSubstr("it did not answer within 1000 ms"),
                                 HasSubstr("NEREID_COMPILE_TIMEOUT")));
  open(NEREID_RUNTIME_ISOLATED_COMPILE);
  EXPECT_EQ(image("fine"), "image of fine") << lastError();
}

// By the host between stages, by a stage that looks, and by the end of the
// process of one that does not.
TEST_F(IsolatedCompileTest, ACompilationIsCancelled) {
  struct {
    uint32_t flags;
    const char *source;
    int calls; // of the callback that say no
    const char *error;
  } cases[] = {
      {0, "fine", 0, "k.ttir: the compilation was cancelled"},
      {0, "wait", 5, "k.ttir: plugin 'mishap': the compilation was cancelled"},
      {NEREID_RUNTIME_ISOLATED_COMPILE, "hang", 5,
       "k.ttir: the compilation was cancelled"},
  };
  for (const auto &each : cases) {
    open(each.flags | NEREID_RUNTIME_NO_CACHE);
    std::atomic<int> left = each.calls;
    nereid_compile_request_t wanted = of(each.source);
    wanted.cancelled = [](void *user) -> int32_t {
      return (*static_cast<std::atomic<int> *>(user))-- <= 0;
    };
    wanted.cancelled_user = &left;
    EXPECT_EQ(compile(wanted), nullptr);
    EXPECT_EQ(status, NEREID_CANCELLED);
    EXPECT_EQ(lastError(), std::string("error: ") + each.error);
    EXPECT_EQ(image("fine"), "image of fine") << lastError();
  }
}

// One that compiles is not ended by another one that waits for its result.
TEST_F(IsolatedCompileTest, AWaitForAnotherCompilationIsCancelled) {
  open(0);
  std::atomic<bool> isStarted = false, isOver = false;
  nereid_compile_request_t first = of("wait"), second = of("wait");
  struct Flags {
    std::atomic<bool> &isStarted, &isOver;
  } flags = {isStarted, isOver};
  first.cancelled = [](void *user) -> int32_t {
    auto &both = *static_cast<Flags *>(user);
    both.isStarted = true;
    return both.isOver;
  };
  first.cancelled_user = &flags;
  std::future<nereid_status_t> compiling = std::async(std::launch::async, [&] {
    nereid_artifact_t *artifact = nullptr;
    nereid_status_t ended = nereid_compile(backend, &first, &artifact);
    nereid_artifact_destroy(artifact);
    return ended;
  });
  while (!isStarted)
    std::this_thread::yield();
  second.cancelled = [](void *) -> int32_t { return 1; };
  EXPECT_EQ(compile(second), nullptr);
  EXPECT_EQ(status, NEREID_CANCELLED);
  EXPECT_EQ(compiling.wait_for(std::chrono::seconds(0)),
            std::future_status::timeout);
  isOver = true;
  EXPECT_EQ(compiling.get(), NEREID_CANCELLED);
}

// Errors and warnings read as they do without it.
TEST_F(IsolatedCompileTest, DiagnosticsAreTheSame) {
  std::string errors[2], warnings[2];
  for (uint32_t flags : {0u, uint32_t(NEREID_RUNTIME_ISOLATED_COMPILE)}) {
    open(flags);
    EXPECT_EQ(image("refuse"), "");
    errors[flags != 0] = lastError();
    EXPECT_EQ(image(flags ? "warn print" : "warn  print").substr(0, 5),
              "image");
    warnings[flags != 0] = messages;
    EXPECT_EQ(image("x", {{"level", "13"}}), "");
    errors[flags != 0] += lastError();
  }
  EXPECT_EQ(errors[0], errors[1]);
  EXPECT_THAT(errors[1], HasSubstr("k.ttir (middle):4:2: not this one"));
  EXPECT_THAT(errors[1], HasSubstr("level 13 is refused"));
  for (const std::string &each : warnings)
    EXPECT_THAT(each, HasSubstr("mishap: this is slow"));
}

TEST_F(IsolatedCompileTest, ChecksOptionsThere) {
  nereid_compile_request_t wanted = of("");
  EXPECT_EQ(nereid_compile_check(backend, &wanted), NEREID_OK) << lastError();
  nereid_value_t value = {};
  value.name = text("level");
  value.type = NEREID_TYPE_I64;
  value.i64 = 13;
  wanted.options = &value;
  wanted.option_count = 1;
  EXPECT_EQ(nereid_compile_check(backend, &wanted), NEREID_INVALID_ARGUMENT);
  EXPECT_THAT(lastError(), HasSubstr("level 13 is refused"));
}

TEST_F(IsolatedCompileTest, StagesAreReplacedAndDumpedThere) {
  nereid_compile_request_t wanted = of("source");
  std::string dump = directory + "/dump";
  wanted.dump_dir = text(dump);
  nereid_replacement_t replacement = {
      sizeof replacement, 0, text("first"), {"other", 5}};
  wanted.replacements = &replacement;
  wanted.replacement_count = 1;
  nereid_artifact_t *artifact = compile(wanted);
  ASSERT_NE(artifact, nullptr) << lastError();
  EXPECT_EQ(output(artifact), "image of other");
  nereid_artifact_destroy(artifact);
  EXPECT_TRUE(std::filesystem::exists(dump));
  wanted = of("middle text");
  wanted.start_at = text("second");
  artifact = compile(wanted);
  ASSERT_NE(artifact, nullptr) << lastError();
  EXPECT_EQ(output(artifact), "image of middle text");
  nereid_artifact_destroy(artifact);
}

TEST_F(IsolatedCompileTest, CompilesInParallel) {
  std::vector<std::future<std::string>> pending;
  for (int i = 0; i < 6; ++i)
    pending.push_back(std::async(std::launch::async, [this, i] {
      return image("kernel " + std::to_string(i));
    }));
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(pending[i].get(), "image of kernel " + std::to_string(i));
}

TEST_F(IsolatedCompileTest, ATableWithoutAFileIsRefused) {
  restart(NEREID_RUNTIME_ISOLATED_COMPILE);
  EXPECT_EQ(compile(request("abc")), nullptr);
  EXPECT_THAT(lastError(), HasSubstr("was registered in this process and has "
                                     "no file"));
}
