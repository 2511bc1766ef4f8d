// communication_test.cpp - exclusive launches, and those that wait for them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "communication.h"

#include "forked_child.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

namespace nereid::cpu {
namespace {

const nereid_cpu_kernel_t kKernel = [] {
  nereid_cpu_kernel_t kernel = {};
  kernel.flags = NEREID_CPU_KERNEL_COMMUNICATES;
  return kernel;
}();

TEST(Communication, OnlyOneExcludes) {
  std::optional<Communication> first;
  first.emplace(kKernel, true);
  EXPECT_TRUE(first->isExclusive());
  EXPECT_FALSE(first->isAwaited());
  first.reset();
  Communication second(kKernel, true);
  EXPECT_TRUE(second.isExclusive());
}

TEST(Communication, NoneExcludesWhileAnotherRuns) {
  std::optional<Communication> other;
  other.emplace(kKernel, false);
  EXPECT_FALSE(Communication(kKernel, true).isExclusive());
  other.reset();
  EXPECT_TRUE(Communication(kKernel, true).isExclusive());
}

TEST(Communication, KernelsThatDoNotCommunicateTakeNoPart) {
  Communication exclusive(kKernel, true);
  nereid_cpu_kernel_t plain = {};
  EXPECT_FALSE(Communication(plain, true).isExclusive()); // nor do they wait
  EXPECT_FALSE(exclusive.isAwaited());
}

// It waits until the exclusive one ends, or shares, at once or after the
// waiting thread has fallen asleep.
TEST(Communication, OthersWaitForAnExclusiveOne) {
  for (bool shares : {false, true})
    for (unsigned milliseconds : {0, 3}) {
      std::optional<Communication> exclusive;
      exclusive.emplace(kKernel, true);
      ASSERT_TRUE(exclusive->isExclusive());
      std::atomic<bool> runs{false};
      std::thread other([&] {
        Communication communication(kKernel, true);
        EXPECT_FALSE(communication.isExclusive());
        runs = true;
      });
      while (!exclusive->isAwaited())
        std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      EXPECT_FALSE(runs);
      if (shares) {
        exclusive->share();
        EXPECT_FALSE(exclusive->isExclusive());
        EXPECT_FALSE(exclusive->isAwaited());
      } else {
        exclusive.reset();
      }
      other.join();
      EXPECT_TRUE(runs);
    }
  EXPECT_TRUE(Communication(kKernel, true).isExclusive());
}

// Additions of exclusive ones are plain, and none is lost.
TEST(Communication, ManyThreadsLoseNothing) {
  constexpr int kThreads = 4, kTimes = 20000;
  int64_t sum = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&] {
      std::atomic_ref<int64_t> shared(sum);
      for (int time = 0; time < kTimes; ++time) {
        Communication communication(kKernel, true);
        if (time % 2 && communication.isAwaited())
          communication.share();
        if (communication.isExclusive())
          shared.store(shared.load(std::memory_order_relaxed) + 1,
                       std::memory_order_relaxed);
        else
          shared.fetch_add(1, std::memory_order_relaxed);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(sum, kThreads * kTimes);
}

// The thread that holds it does not exist in the child.
TEST(Communication, TheChildOfAForkWaitsForNobody) {
  std::atomic<bool> holds{false}, ends{false};
  std::thread holder([&] {
    Communication communication(kKernel, true);
    holds = true;
    while (!ends)
      std::this_thread::yield();
  });
  while (!holds)
    std::this_thread::yield();
  EXPECT_TRUE(nereid::test::succeedsInChild(
      [] { return Communication(kKernel, true).isExclusive(); }));
  ends = true;
  holder.join();
}

} // namespace
} // namespace nereid::cpu
