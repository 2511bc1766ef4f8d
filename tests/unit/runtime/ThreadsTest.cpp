// ThreadsTest.cpp - every [any-thread] function from many threads at once; run
// under ThreadSanitizer in CI.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Fixture.h"

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

namespace {
class ThreadsTest : public RuntimeFixture {
protected:
  /// Runs \p body on ten threads, which start together.
  template <typename Body> static void onTenThreads(Body body) {
    std::atomic<int> waiting = 10;
    std::vector<std::thread> threads;
    for (int i = 0; i < 10; ++i)
      threads.emplace_back([&, i] {
        --waiting;
        while (waiting)
          std::this_thread::yield();
        body(i);
      });
    for (std::thread &thread : threads)
      thread.join();
  }
};
} // namespace

TEST_F(ThreadsTest, CompileLoadAndLaunch) {
  onTenThreads([&](int thread) {
    for (int round = 0; round < 20; ++round) {
      // Some sources are shared by the threads, some are not.
      std::string source = round % 2
                               ? "shared " + std::to_string(round)
                               : "own " + std::to_string(thread * 100 + round);
      nereid_compile_request_t what = request(source);
      nereid_artifact_t *artifact = nullptr;
      ASSERT_EQ(nereid_compile(backend, &what, &artifact), NEREID_OK)
          << lastError();
      ASSERT_EQ(output(artifact), "packed lowered " + source);
      nereid_function_t *function = nullptr;
      ASSERT_EQ(nereid_function_load(backend, 0, artifact, &function),
                NEREID_OK)
          << lastError();
      nereid_artifact_destroy(artifact);
      float result = 0;
      struct {
        nereid_address_t out;
        int32_t value, padding;
      } block = {reinterpret_cast<uintptr_t>(&result), round, 0};
      for (int i = 0; i < 50; ++i)
        ASSERT_EQ(::launch(function, 1, 1, 1, &block, sizeof block), NEREID_OK);
      EXPECT_EQ(result, round);
      nereid_function_destroy(function);
    }
  });
  // Ten shared sources once each, a hundred own ones.
  EXPECT_EQ(fake_counts().stages, 3 * (10 + 100));
  EXPECT_EQ(fake_counts().loads, fake_counts().unloads);
}

TEST_F(ThreadsTest, OneFunctionLaunchedByAll) {
  nereid_function_t *function = load();
  onTenThreads([&](int) {
    float result = 0;
    struct {
      nereid_address_t out;
      int32_t value, padding;
    } block = {reinterpret_cast<uintptr_t>(&result), 1, 0};
    for (int i = 0; i < 1000; ++i)
      ASSERT_EQ(::launch(function, 1, 1, 1, &block, sizeof block), NEREID_OK);
  });
  EXPECT_EQ(fake_counts().launches, 10000);
  nereid_function_destroy(function);
}

TEST_F(ThreadsTest, ErrorsBelongToTheirThread) {
  onTenThreads([&](int thread) {
    std::string name = "option" + std::to_string(thread);
    for (int i = 0; i < 50; ++i) {
      nereid_value_t option = {};
      option.name = text(name);
      option.type = NEREID_TYPE_I64;
      nereid_compile_request_t wrong = request();
      wrong.options = &option;
      wrong.option_count = 1;
      nereid_artifact_t *artifact = nullptr;
      ASSERT_EQ(nereid_compile(backend, &wrong, &artifact),
                NEREID_INVALID_ARGUMENT);
      ASSERT_NE(lastError().find('\'' + name + '\''), std::string::npos);
    }
  });
}

TEST_F(ThreadsTest, QueriesBesideCompiles) {
  onTenThreads([&](int thread) {
    for (int i = 0; i < 30; ++i) {
      if (thread < 3) {
        std::string source = std::to_string(thread * 100 + i);
        nereid_compile_request_t what = request(source);
        nereid_artifact_t *artifact = nullptr;
        ASSERT_EQ(nereid_compile(backend, &what, &artifact), NEREID_OK);
        nereid_artifact_destroy(artifact);
        continue;
      }
      nereid_backend_t *found = nullptr;
      uint32_t device = 0;
      ASSERT_EQ(nereid_runtime_choose(runtime, text("fake"), &found, &device),
                NEREID_OK);
      ASSERT_EQ(found, backend);
      ASSERT_EQ(nereid_runtime_backend_at(runtime, 0), backend);
      nereid_address_t address = 0;
      ASSERT_EQ(allocate(backend, 0, 64, &address), NEREID_OK);
      nereid_backend_free(backend, 0, address);
      jsonOf([&](nereid_buffer_t **out) {
        return nereid_runtime_report(runtime, out);
      });
      jsonOf([&](nereid_buffer_t **out) {
        return nereid_backend_properties(backend, 0, out);
      });
      jsonOf([&](nereid_buffer_t **out) {
        return nereid_backend_options(backend, nullptr, out);
      });
      nereid_cache_stat_t stat = {};
      stat.struct_size = sizeof stat;
      ASSERT_EQ(nereid_cache_stat(runtime, &stat), NEREID_OK);
    }
  });
}

TEST_F(ThreadsTest, OneOfManyRegistrationsOfAnIdWins) {
  std::atomic<int> registered = 0;
  onTenThreads([&](int) {
    nereid_backend_t *compiler = nullptr;
    if (nereid_runtime_register(runtime, fake_compiler_only(), &compiler) ==
        NEREID_OK)
      ++registered;
  });
  EXPECT_EQ(registered, 1);
  EXPECT_EQ(nereid_runtime_backend_count(runtime), 2u);
}

TEST_F(ThreadsTest, LookUpsGoOnWhileAnUnregisterWaitsForALoad) {
  static std::atomic<bool> isCreating, mayEnd;
  isCreating = mayEnd = false;
  nereid_plugin_t slow = *fake_plugin(), other = *fake_plugin();
  other.id = text("test.other");
  slow.id = text("test.slow");
  slow.create = [](auto...) -> nereid_status_t {
    isCreating = true;
    while (!mayEnd)
      std::this_thread::yield();
    return NEREID_OK;
  };
  nereid_backend_t *leaving = nullptr, *found = nullptr;
  ASSERT_EQ(nereid_runtime_register(runtime, &other, &leaving), NEREID_OK);
  auto loaded = std::async(std::launch::async, [&] {
    nereid_backend_t *added = nullptr;
    return nereid_runtime_register(runtime, &slow, &added);
  });
  while (!isCreating)
    std::this_thread::yield();
  auto left = std::async(std::launch::async, [&] {
    return nereid_runtime_unregister(runtime, leaving);
  });
  EXPECT_EQ(left.wait_for(std::chrono::milliseconds(100)),
            std::future_status::timeout)
      << "it does not wait for the load";
  auto lookUp = std::async(std::launch::async, [&] {
    return nereid_runtime_backend(runtime, text("test.fake"), &found);
  });
  EXPECT_EQ(lookUp.wait_for(std::chrono::seconds(60)),
            std::future_status::ready);
  mayEnd = true;
  EXPECT_EQ(lookUp.get(), NEREID_OK);
  EXPECT_EQ(found, backend);
  EXPECT_EQ(loaded.get(), NEREID_OK);
  EXPECT_EQ(left.get(), NEREID_OK);
}

TEST_F(ThreadsTest, RuntimesBesideEachOther) {
  onTenThreads([&](int) {
    nereid_runtime_options_t options = {};
    options.struct_size = sizeof options;
    options.flags =
        NEREID_RUNTIME_NO_DISCOVERY | NEREID_RUNTIME_IGNORE_ENVIRONMENT;
    std::string cache = directory + "/cache";
    options.cache_dir = text(cache);
    nereid_runtime_t *own = nullptr;
    nereid_backend_t *fake = nullptr;
    ASSERT_EQ(nereid_runtime_create(&options, &own), NEREID_OK);
    ASSERT_EQ(nereid_runtime_register(own, fake_plugin(), &fake), NEREID_OK);
    nereid_compile_request_t what = request("everywhere");
    nereid_artifact_t *artifact = nullptr;
    ASSERT_EQ(nereid_compile(fake, &what, &artifact), NEREID_OK) << lastError();
    nereid_artifact_destroy(artifact);
    nereid_runtime_destroy(own);
  });
  EXPECT_EQ(fake_counts().shutdowns, 10);
}
