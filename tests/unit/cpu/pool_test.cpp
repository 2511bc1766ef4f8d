// pool_test.cpp - order, work stealing, sleep, fork and concurrent callers.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace nereid::cpu {
namespace {

/// Counts how often each item ran.
struct Counter {
  explicit Counter(uint64_t count) : times(count) {}
  std::vector<std::atomic<int>> times;

  Job job(uint64_t chunk, bool isOrdered = true) {
    auto run = [](void *context, uint64_t first, uint64_t count) {
      auto &self = *static_cast<Counter *>(context);
      for (uint64_t i = first; i < first + count; ++i)
        self.times[i].fetch_add(1);
      return true;
    };
    return {run, this, times.size(), chunk, isOrdered};
  }
  bool once() const {
    for (const auto &time : times)
      if (time.load() != 1)
        return false;
    return true;
  }
};

TEST(Pool, RunsEachItemOnce) {
  Pool pool(4);
  for (uint64_t count : {1, 2, 7, 64, 1000})
    for (uint64_t chunk : {1, 3, 100})
      for (bool isOrdered : {false, true})
        for (unsigned threads : {2, 3, 4}) {
          Counter counter(count);
          EXPECT_TRUE(pool.run(counter.job(chunk, isOrdered), threads));
          EXPECT_TRUE(counter.once()) << count << " items by " << chunk;
        }
}

TEST(Pool, ManyShortJobs) {
  Pool pool(3);
  for (int round = 0; round < 20000; ++round) {
    Counter counter(6);
    pool.run(counter.job(1, round % 2), 3);
    ASSERT_TRUE(counter.once()) << "round " << round;
  }
}

TEST(Pool, OtherThreadsStealFromAPart) {
  Pool pool(2);
  std::atomic<uint64_t> ran{0};
  constexpr uint64_t kItems = 64;
  // The thread with the first item of the second part waits for all others.
  auto run = [](void *context, uint64_t first, uint64_t) {
    auto &ran = *static_cast<std::atomic<uint64_t> *>(context);
    while (first == kItems / 2 && ran.load() < kItems - 1)
      std::this_thread::yield();
    ran.fetch_add(1);
    return true;
  };
  EXPECT_TRUE(pool.run({run, &ran, kItems, 1, false}, 2));
  EXPECT_EQ(ran.load(), kItems);
}

TEST(Pool, AThreadHasTheSamePartInEachJob) {
  Pool pool(2);
  struct Shared {
    std::atomic<int> inside{0};
    std::atomic<pthread_t> thread[2] = {};
  } shared;
  // Each part waits until the other has begun, so that both threads have one.
  auto run = [](void *context, uint64_t first, uint64_t) {
    auto &both = *static_cast<Shared *>(context);
    both.thread[first].store(pthread_self());
    both.inside.fetch_add(1);
    while (both.inside.load() < 2)
      std::this_thread::yield();
    return true;
  };
  for (int round = 0; round < 100; ++round) {
    shared.inside.store(0);
    EXPECT_TRUE(pool.run({run, &shared, 2, 1, false}, 2));
    EXPECT_TRUE(pthread_equal(shared.thread[0].load(), pthread_self()));
    EXPECT_FALSE(pthread_equal(shared.thread[1].load(), pthread_self()));
  }
}

TEST(Pool, WorkersHelp) {
  Pool pool(2);
  struct {
    std::atomic<int> inside{0};
  } shared;
  // Two items that wait for each other: only two threads finish them.
  auto run = [](void *context, uint64_t, uint64_t count) {
    auto &inside = static_cast<decltype(shared) *>(context)->inside;
    inside.fetch_add(static_cast<int>(count));
    while (inside.load() < 2)
      std::this_thread::yield();
    return true;
  };
  EXPECT_TRUE(pool.run({run, &shared, 2, 1}, 2));
}

TEST(Pool, AnItemMayWaitForAnEarlierOne) {
  Pool pool(4);
  struct {
    std::atomic<uint64_t> turn{0};
  } shared;
  auto run = [](void *context, uint64_t first, uint64_t count) {
    auto &turn = static_cast<decltype(shared) *>(context)->turn;
    for (uint64_t i = first; i < first + count; ++i) {
      while (turn.load() != i)
        std::this_thread::yield();
      turn.store(i + 1);
    }
    return true;
  };
  EXPECT_TRUE(pool.run({run, &shared, 500, 2}, 4));
  EXPECT_EQ(shared.turn.load(), 500u);
}

TEST(Pool, StopsAfterAFailure) {
  Pool pool(2);
  std::atomic<uint64_t> ran{0};
  auto run = [](void *context, uint64_t first, uint64_t) {
    static_cast<std::atomic<uint64_t> *>(context)->fetch_add(1);
    return first < 10;
  };
  EXPECT_FALSE(pool.run({run, &ran, 1000000, 1}, 2));
  EXPECT_LT(ran.load(), 1000u);
}

TEST(Pool, AllowsConcurrentCallers) {
  Pool pool(3);
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int round = 0; round < 2000; ++round) {
        Counter counter(16);
        if (!pool.run(counter.job(1), 3) || !counter.once())
          wrong.fetch_add(1);
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(Pool, NestedJobsRunOnTheirCaller) {
  Pool pool(2);
  auto outer = [](void *context, uint64_t first, uint64_t count) {
    Counter counter(32);
    auto &pool = *static_cast<Pool *>(context);
    (void)first, (void)count;
    return pool.run(counter.job(1), 2) && counter.once();
  };
  EXPECT_TRUE(pool.run({outer, &pool, 8, 1}, 2));
}

double cpuSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) *
             1e-6;
}

void waitUntilAsleep(const Pool &pool, unsigned workers) {
  while (pool.sleeping() < workers)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(Pool, IdleWorkersSleep) {
  Pool pool(3);
  Counter counter(64);
  pool.run(counter.job(1), 3);
  waitUntilAsleep(pool, 2);
  double before = cpuSeconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(cpuSeconds() - before, 0.05);
  // And they wake again.
  Counter again(64);
  EXPECT_TRUE(pool.run(again.job(1), 3));
  EXPECT_TRUE(again.once());
}

TEST(Pool, AShortJobWakesNoThread) {
  Pool pool(3);
  Counter first(64);
  pool.run(first.job(1), 3);
  // A worker counts as asleep shortly before it is, and may still join.
  for (int round = 0; round < 1000; ++round) {
    waitUntilAsleep(pool, 2);
    Counter counter(64);
    Job job = counter.job(1);
    job.isShort = true;
    EXPECT_TRUE(pool.run(job, 3));
    EXPECT_TRUE(counter.once());
    if (pool.sleeping() == 2)
      return;
  }
  FAIL() << "workers woke in each round";
}

/// A job of `count` items that wait for all to start.
struct Meeting {
  std::atomic<uint64_t> arrived{0};
  uint64_t count;

  Job job() {
    auto run = [](void *context, uint64_t, uint64_t items) {
      auto &self = *static_cast<Meeting *>(context);
      self.arrived.fetch_add(items);
      while (self.arrived.load() < self.count)
        std::this_thread::yield();
      return true;
    };
    return {run, this, count, 1};
  }
};

TEST(Pool, RunsItemsTogether) {
  Pool pool(4);
  for (uint64_t count : {1, 4, 2, 3, 4}) {
    Meeting meeting{.count = count};
    EXPECT_EQ(pool.runTogether(meeting.job()), std::optional(true));
  }
  Meeting meeting{.count = 5};
  EXPECT_EQ(pool.runTogether(meeting.job()), std::nullopt);
  EXPECT_EQ(meeting.arrived.load(), 0u);
}

TEST(Pool, WakesAllThatSleep) {
  Pool pool(8);
  for (int round = 0; round < 20; ++round) {
    Meeting meeting{.count = 8};
    EXPECT_EQ(pool.runTogether(meeting.job()), std::optional(true));
    waitUntilAsleep(pool, 7);
  }
}

TEST(Pool, RunsItemsTogetherWhileOthersUseIt) {
  Pool pool(3);
  std::atomic<bool> ends{false};
  std::thread other([&] {
    while (!ends.load()) {
      Counter counter(50);
      pool.run(counter.job(1), 3);
      EXPECT_TRUE(counter.once());
    }
  });
  std::thread rival([&] {
    for (int round = 0; round < 100; ++round) {
      Meeting meeting{.count = 3};
      EXPECT_EQ(pool.runTogether(meeting.job()), std::optional(true));
    }
  });
  for (int round = 0; round < 100; ++round) {
    Meeting meeting{.count = 3};
    EXPECT_EQ(pool.runTogether(meeting.job()), std::optional(true));
  }
  rival.join();
  ends.store(true);
  other.join();
}

// ThreadSanitizer ends a child of fork() that starts a thread.
#if defined(__SANITIZE_THREAD__)
#define NEREID_NO_THREADS_AFTER_FORK 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NEREID_NO_THREADS_AFTER_FORK 1
#endif
#endif

#ifndef NEREID_NO_THREADS_AFTER_FORK
TEST(Pool, SurvivesFork) {
  Pool pool(3);
  Counter before(64);
  pool.run(before.job(1), 3);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // Without new workers this would wait forever, since the two items wait
    // for each other.
    alarm(60);
    std::atomic<int> inside{0};
    auto run = [](void *context, uint64_t, uint64_t count) {
      auto &inside = *static_cast<std::atomic<int> *>(context);
      inside.fetch_add(static_cast<int>(count));
      while (inside.load() < 2)
        std::this_thread::yield();
      return true;
    };
    bool good = pool.run({run, &inside, 2, 1}, 3);
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  Counter after(64);
  EXPECT_TRUE(pool.run(after.job(1), 3));
  EXPECT_TRUE(after.once());
}

TEST(Pool, ForkWhileAnotherThreadRunsAJob) {
  Pool pool(2);
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop.load()) {
      Counter counter(64);
      pool.run(counter.job(1), 2);
    }
  });
  for (int round = 0; round < 20; ++round) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(60);
      Counter counter(64);
      _exit(pool.run(counter.job(1), 2) && counter.once() ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  stop.store(true);
  busy.join();
}
#endif

} // namespace
} // namespace nereid::cpu
