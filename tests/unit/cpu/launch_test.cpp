// launch_test.cpp - results, order and concurrent callers.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "allocations.h"
#include "harness.h"
#include "kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <thread>

namespace nereid::cpu::test {
namespace {

struct AddArguments {
  const float *a, *b;
  float *out;
  int32_t n;
};

/// Adds `n` numbers and compares.
bool addsRight(const Plugin &plugin, nereid_kernel_t *kernel, int n) {
  std::vector<float> a(n), b(n), out(n, -1);
  for (int i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = 0.5f;
  }
  AddArguments arguments = {a.data(), b.data(), out.data(), n};
  nereid_launch_t launch =
      makeLaunch((n + 1023) / 1024, &arguments, sizeof arguments);
  if (plugin.driver->launch(kernel, &launch, nullptr) != NEREID_OK)
    return false;
  for (int i = 0; i < n; ++i)
    if (out[i] != a[i] + b[i])
      return false;
  return true;
}

TEST(Launch, VectorAdd) {
  for (const char *threads : {"1", "3"}) {
    setenv("NEREID_CPU_THREADS", threads, 1);
    Plugin plugin;
    nereid_module_t *module = plugin.load(addKernel());
    nereid_kernel_t *kernel = plugin.kernel(module, "add_kernel");
    for (int n : {1, 1000, 1024, 100003, 3000000})
      EXPECT_TRUE(addsRight(plugin, kernel, n)) << n;
    plugin.unload(module);
    unsetenv("NEREID_CPU_THREADS");
  }
}

TEST(Launch, ForEachLevelOfOptimisation) {
  Plugin plugin;
  for (const char *level : {"0", "1", "2", "3"}) {
    nereid_module_t *module = plugin.load(addKernel(), {{"opt_level", level}});
    EXPECT_TRUE(addsRight(plugin, plugin.kernel(module, "add_kernel"), 5000));
    plugin.unload(module);
  }
}

TEST(Launch, ProgramsStartInOrder) {
  setenv("NEREID_CPU_THREADS", "1", 1);
  {
    Plugin plugin;
    nereid_module_t *module = plugin.load(orderKernel());
    nereid_kernel_t *kernel = plugin.kernel(module, "order_kernel");
    std::vector<int64_t> order(500, -1);
    int64_t next = 0;
    struct {
      int64_t *order, *next;
    } arguments = {order.data(), &next};
    nereid_launch_t launch = makeLaunch(5, &arguments, sizeof arguments);
    launch.grid[1] = 10;
    launch.grid[2] = 10;
    ASSERT_EQ(plugin.driver->launch(kernel, &launch, nullptr), NEREID_OK);
    for (int64_t i = 0; i < 500; ++i)
      EXPECT_EQ(order[i], i);
    plugin.unload(module);
  }
  unsetenv("NEREID_CPU_THREADS");
}

// One program alone, then three that may keep something for each other.
TEST(Launch, PoisonsScratchBeforePrograms) {
  setenv("NEREID_CPU_POISON_SCRATCH", "1", 1);
  {
    Plugin plugin;
    nereid_module_t *module = plugin.load(scratchKernel(), {{"threads", "1"}});
    nereid_kernel_t *kernel = plugin.kernel(module, "scratch_kernel");
    std::vector<int64_t> out(20, 0);
    int64_t *argument = out.data();
    nereid_launch_t launch = makeLaunch(5, &argument, sizeof argument);
    launch.grid[1] = 2;
    launch.grid[2] = 2;
    ASSERT_EQ(plugin.driver->launch(kernel, &launch, nullptr), NEREID_OK);
    for (size_t program = 0; program < out.size(); ++program)
      EXPECT_EQ(out[program], program % 4 < 2 ? -1 : 7) << program;
    plugin.unload(module);
  }
  unsetenv("NEREID_CPU_POISON_SCRATCH");
}

TEST(Launch, EachProgramOnceOnManyThreads) {
  setenv("NEREID_CPU_THREADS", "4", 1);
  {
    Plugin plugin;
    nereid_module_t *module = plugin.load(orderKernel());
    nereid_kernel_t *kernel = plugin.kernel(module, "order_kernel");
    std::vector<int64_t> order(5000, -1);
    int64_t next = 0;
    struct {
      int64_t *order, *next;
    } arguments = {order.data(), &next};
    nereid_launch_t launch = makeLaunch(5000, &arguments, sizeof arguments);
    ASSERT_EQ(plugin.driver->launch(kernel, &launch, nullptr), NEREID_OK);
    EXPECT_EQ(next, 5000);
    std::sort(order.begin(), order.end());
    for (int64_t i = 0; i < 5000; ++i)
      EXPECT_EQ(order[i], i);
    plugin.unload(module);
  }
  unsetenv("NEREID_CPU_THREADS");
}

TEST(Launch, Prints) {
  Plugin plugin;
  nereid_module_t *module = plugin.load(printKernel());
  nereid_kernel_t *kernel = plugin.kernel(module, "print_kernel");
  nereid_launch_t launch = makeLaunch(3, nullptr, 0);
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(plugin.driver->launch(kernel, &launch, nullptr), NEREID_OK);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "program\nprogram\nprogram\n");
  plugin.unload(module);
}

TEST(Launch, LibmIsFound) {
  Plugin plugin;
  nereid_module_t *module = plugin.load(fmodKernel());
  nereid_kernel_t *kernel = plugin.kernel(module, "fmod_kernel");
  float in[3] = {7.5f, -4.0f, 2.0f}, out[3];
  struct {
    float *in, *out;
  } arguments = {in, out};
  nereid_launch_t launch = makeLaunch(3, &arguments, sizeof arguments);
  ASSERT_EQ(plugin.driver->launch(kernel, &launch, nullptr), NEREID_OK);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(out[i], std::fmod(in[i], 3.0f));
  plugin.unload(module);
}

TEST(Launch, AllocatesNothingOnceWarm) {
  setenv("NEREID_CPU_THREADS", "2", 1);
  {
    Plugin plugin;
    nereid_module_t *module = plugin.load(orderKernel(), {{"threads", "2"}});
    nereid_kernel_t *kernel = plugin.kernel(module, "order_kernel");
    std::vector<int64_t> order(1 << 17, -1);
    int64_t next = 0;
    struct {
      int64_t *order, *next;
    } arguments = {order.data(), &next};
    nereid_launch_t launch = makeLaunch(64, &arguments, sizeof arguments);
    // Each thread allocates its scratch in its first launch, which on a busy
    // machine can be late; after that no launch allocates.
    constexpr int kRounds = 250;
    uint64_t made = 0;
    for (int attempt = 0; attempt < 40; ++attempt) {
      next = 0; // the kernel counts its programs there
      uint64_t before = allocationCount();
      for (int round = 0; round < kRounds; ++round)
        plugin.driver->launch(kernel, &launch, nullptr);
      made = allocationCount() - before;
      EXPECT_EQ(next, kRounds * 64);
      if (attempt > 0 && made == 0)
        break;
    }
    EXPECT_EQ(made, 0u);
    plugin.unload(module);
  }
  unsetenv("NEREID_CPU_THREADS");
}

TEST(Launch, BadArguments) {
  Plugin plugin;
  nereid_module_t *module = plugin.load(addKernel());
  nereid_kernel_t *kernel = plugin.kernel(module, "add_kernel");
  int64_t block[4] = {};
  nereid_launch_t launch = makeLaunch(1, block, 24);
  Messages messages;
  EXPECT_EQ(plugin.driver->launch(kernel, &launch, messages.call()),
            NEREID_INVALID_ARGUMENT);
  launch = makeLaunch(0, block, sizeof block);
  EXPECT_EQ(plugin.driver->launch(kernel, &launch, messages.call()), NEREID_OK);
  launch.grid[0] = launch.grid[1] = launch.grid[2] = UINT32_MAX;
  EXPECT_EQ(plugin.driver->launch(kernel, &launch, messages.call()),
            NEREID_INVALID_ARGUMENT);
  plugin.unload(module);
}

TEST(Launch, AllowsConcurrentCallers) {
  setenv("NEREID_CPU_THREADS", "3", 1);
  {
    Plugin plugin;
    nereid_module_t *module = plugin.load(addKernel());
    nereid_kernel_t *kernel = plugin.kernel(module, "add_kernel");
    std::vector<std::thread> callers;
    std::atomic<int> wrong{0};
    for (int caller = 0; caller < 4; ++caller)
      callers.emplace_back([&] {
        for (int round = 0; round < 20; ++round)
          if (!addsRight(plugin, kernel, 200000 + round))
            wrong.fetch_add(1);
      });
    for (std::thread &caller : callers)
      caller.join();
    EXPECT_EQ(wrong.load(), 0);
    plugin.unload(module);
  }
  unsetenv("NEREID_CPU_THREADS");
}

} // namespace
} // namespace nereid::cpu::test
