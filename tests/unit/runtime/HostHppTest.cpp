// HostHppTest.cpp - the C++ interface, with a table of this process.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "fake_plugin.h"
#include "nereid/host.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using testing::HasSubstr;

namespace {
class HostHppTest : public testing::Test {
protected:
  void SetUp() override {
    fake_reset();
    nereid_runtime_options_t options = {};
    options.struct_size = sizeof options;
    options.flags = NEREID_RUNTIME_NO_DISCOVERY | NEREID_RUNTIME_NO_CACHE |
                    NEREID_RUNTIME_IGNORE_ENVIRONMENT;
    nereid::Expected<nereid::Runtime> made = nereid::Runtime::create(&options);
    ASSERT_TRUE(made) << made.error().text;
    runtime.emplace(std::move(*made));
    nereid_backend_t *backend = nullptr;
    ASSERT_EQ(nereid_runtime_register(runtime->get(), fake_plugin(), &backend),
              NEREID_OK);
  }

  std::optional<nereid::Runtime> runtime;
};
} // namespace

TEST_F(HostHppTest, CompilesLoadsAndLaunches) {
  nereid::Expected<nereid::Runtime::Choice> choice = runtime->choose("fake");
  ASSERT_TRUE(choice) << choice.error().text;
  nereid::Expected<nereid::Artifact> artifact =
      choice->backend.compile("source", "k.ttir");
  ASSERT_TRUE(artifact) << artifact.error().text;
  EXPECT_EQ(artifact->info().is_image, 1u);
  EXPECT_THAT(*artifact->describe(), HasSubstr("\"k.ttir\""));
  nereid::Expected<nereid::Function> function = choice->backend.load(*artifact);
  ASSERT_TRUE(function) << function.error().text;
  nereid::Expected<nereid::Memory> memory =
      choice->backend.allocate(sizeof(float));
  ASSERT_TRUE(memory) << memory.error().text;

  nereid::Expected<void> launched =
      function->launch({2, 3}, 7, memory->address(), int32_t(5));
  ASSERT_TRUE(launched) << launched.error().text;
  EXPECT_EQ(fake_last_launch().grid[1], 3u);
  EXPECT_EQ(fake_last_launch().grid[2], 1u);
  EXPECT_EQ(fake_last_launch().stream, 7u);
  float value = 0;
  ASSERT_TRUE(memory->read(&value));
  EXPECT_EQ(value, 5);
}

TEST_F(HostHppTest, ChecksNumberAndSizeOfArguments) {
  nereid::Backend backend = runtime->backends().at(0);
  nereid::Function function =
      std::move(*backend.load(*backend.compile("source", "k.ttir")));
  nereid::Expected<void> launched = function.launch({1}, 0, uint64_t(0));
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().text,
            "error: 1 arguments given, the kernel has 2");
  launched = function.launch({1}, 0, uint64_t(0), int64_t(5));
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().text, "error: argument 'value' of type 'i32' "
                                   "takes 4 bytes, 8 were given");
  EXPECT_EQ(fake_counts().launches, 0);
}

TEST_F(HostHppTest, FailuresCarryStatusAndText) {
  nereid::Expected<nereid::Backend> loaded = runtime->load("/nowhere.so");
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().status, NEREID_OK);
  EXPECT_THAT(loaded.error().text, HasSubstr("/nowhere.so"));
}

TEST_F(HostHppTest, OwnersMoveAndFreeOnce) {
  nereid::Backend backend = runtime->backends().at(0);
  {
    nereid::Function first =
        std::move(*backend.load(*backend.compile("source", "k.ttir")));
    nereid::Function second = std::move(first);
    first = std::move(second);
    nereid::Memory memory = std::move(*backend.allocate(64));
    nereid::Memory other = std::move(memory);
    // NOLINTNEXTLINE(bugprone-use-after-move): it owns nothing any more
    EXPECT_EQ(memory.address(), 0u);
  }
  EXPECT_EQ(fake_counts().unloads, 1);
}
