// CacheComputeTest.cpp - one computes, the others wait: threads, processes and
// forks.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "CacheFixture.h"

#include "cache/KeyLock.h"

#include <atomic>
#include <csignal>
#include <fstream>
#include <latch>
#include <mutex>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace nereid::host;

namespace {
class CacheCompute : public CacheFixture {
protected:
  /// A computation that counts its runs and takes \p time.
  Cache::Compute counting(std::chrono::milliseconds time = {}) {
    return [this, time](const std::string &) -> Result<CacheValue> {
      ++runs;
      std::this_thread::sleep_for(time);
      return CacheValue{"body", "metadata"};
    };
  }
  std::atomic<int> runs = 0;
};

/// Runs \p work in every one of \p count threads, all at once.
template <typename Work> void inThreads(int count, Work work) {
  std::latch start(count);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      work(i);
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// Threads of which one computes what the others wait for.
class Crowd {
public:
  /// The calling thread is about to ask for the result.
  void join() {
    std::lock_guard lock(mutex);
    threads.push_back(::gettid());
  }

  /// Returns once \p count threads have joined and all but the calling one
  /// sleep. A thread may sleep for a moment because another one has a lock,
  /// but not all of them time after time.
  void waitUntilAllWait(size_t count) {
    for (int rounds = 0; rounds < 10;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::lock_guard lock(mutex);
      bool allSleep = threads.size() == count;
      for (pid_t thread : threads)
        allSleep &= thread == ::gettid() || isAsleep(thread);
      rounds = allSleep ? rounds + 1 : 0;
    }
  }

private:
  static bool isAsleep(pid_t thread) {
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
    // Fails, and throws nothing, where it ends meanwhile.
    std::string text;
    std::getline(file, text);
    size_t name = text.rfind(") ");
    return name != std::string::npos && text[name + 2] == 'S';
  }

  std::mutex mutex;
  std::vector<pid_t> threads;
};

/// Runs \p work in a child, which succeeds if it gives true.
template <typename Work> pid_t inChild(Work work) {
  pid_t child = ::fork();
  if (child == 0)
    ::_exit(work() ? 0 : 1);
  return child;
}

bool succeeded(pid_t child) {
  int status = -1;
  return ::waitpid(child, &status, 0) == child && status == 0;
}
} // namespace

using std::chrono::milliseconds;

TEST_F(CacheCompute, ComputesOnceAndThenHits) {
  Cache cache(options);
  Result<CacheEntry> first = cache.getOrCompute(keyOf("x"), counting());
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->isFromCache);
  EXPECT_EQ(first->path, pathOf(keyOf("x")));
  Result<CacheEntry> second = cache.getOrCompute(keyOf("x"), counting());
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->isFromCache);
  EXPECT_EQ(second->body, "body");
  EXPECT_EQ(second->metadata, "metadata");
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(cache.stat().hits, 1u);
  EXPECT_EQ(cache.stat().misses, 1u);
}

TEST_F(CacheCompute, ReturnsTheFailureOfTheComputation) {
  Cache cache(options);
  auto fail = [&](const std::string &reason) -> Result<CacheValue> {
    EXPECT_EQ(reason, "no entry");
    ++runs;
    return Failure{NEREID_INVALID_ARGUMENT, "k.ttir:3:1: unknown operation"};
  };
  for (int i = 0; i < 2; ++i) {
    Result<CacheEntry> entry = cache.getOrCompute(keyOf("x"), fail);
    ASSERT_FALSE(entry);
    EXPECT_EQ(entry.failure().status, NEREID_INVALID_ARGUMENT);
    EXPECT_EQ(entry.failure().text, "k.ttir:3:1: unknown operation");
  }
  EXPECT_EQ(runs, 2) << "failures are not remembered";
}

TEST_F(CacheCompute, IsDoneByOneOfManyThreads) {
  Cache cache(options);
  std::atomic<int> fresh = 0;
  inThreads(16, [&](int) {
    Result<CacheEntry> entry =
        cache.getOrCompute(keyOf("x"), counting(milliseconds(20)));
    ASSERT_TRUE(entry);
    EXPECT_EQ(entry->body, "body");
    fresh += !entry->isFromCache;
  });
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(fresh, 1);
}

TEST_F(CacheCompute, IsDoneByOneThreadWithoutADirectory) {
  options.directory.clear();
  Cache cache(options);
  Crowd crowd;
  auto slow = [&](const std::string &) -> Result<CacheValue> {
    ++runs;
    crowd.waitUntilAllWait(8);
    return CacheValue{"body", {}};
  };
  inThreads(8, [&](int) {
    crowd.join();
    EXPECT_TRUE(cache.getOrCompute(keyOf("x"), slow));
  });
  EXPECT_EQ(runs, 1);
}

TEST_F(CacheCompute, IsDoneByOneThreadOfTwoCaches) {
  Cache caches[2] = {Cache(options), Cache(options)};
  inThreads(8, [&](int i) {
    EXPECT_TRUE(
        caches[i % 2].getOrCompute(keyOf("x"), counting(milliseconds(20))));
  });
  EXPECT_EQ(runs, 1);
}

TEST_F(CacheCompute, OfDifferentKeysGoesOnSideBySide) {
  Cache cache(options);
  std::latch both(2); // opens only if neither waits for the other
  inThreads(2, [&](int i) {
    auto meet = [&](const std::string &) -> Result<CacheValue> {
      both.arrive_and_wait();
      return CacheValue{"body", {}};
    };
    EXPECT_TRUE(cache.getOrCompute(keyOf(std::to_string(i)), meet));
  });
}

TEST_F(CacheCompute, SharesAFailureAmongThreads) {
  Cache cache(options);
  Crowd crowd;
  auto fail = [&](const std::string &) -> Result<CacheValue> {
    ++runs;
    crowd.waitUntilAllWait(8);
    return Failure{NEREID_INTERNAL, "no"};
  };
  inThreads(8, [&](int) {
    crowd.join();
    EXPECT_FALSE(cache.getOrCompute(keyOf("x"), fail));
  });
  EXPECT_EQ(runs, 1);
}

TEST_F(CacheCompute, DoesNotShareACancellationAmongThreads) {
  for (nereid_status_t status : {NEREID_CANCELLED, NEREID_OUT_OF_RESOURCES}) {
    Cache cache(options);
    Crowd crowd;
    runs = 0;
    std::atomic<int> failures = 0;
    auto failFirst = [&](const std::string &) -> Result<CacheValue> {
      bool isFirst = ++runs == 1;
      if (isFirst)
        crowd.waitUntilAllWait(8);
      if (isFirst)
        return Failure{status, "not for others"};
      return CacheValue{"body", {}};
    };
    Digest key = keyOf(std::to_string(status));
    inThreads(8, [&](int) {
      crowd.join();
      failures += !cache.getOrCompute(key, failFirst);
    });
    EXPECT_EQ(failures, 1);
    EXPECT_EQ(runs, 2);
  }
}

// Another thread, and another process: a second cache has a lock of its own.
TEST_F(CacheCompute, EndsAWaitThatIsCancelled) {
  for (bool isOtherProcess : {false, true}) {
    Cache cache(options), second(options);
    std::latch begun(1), end(1);
    Digest key = keyOf(isOtherProcess ? "process" : "thread");
    std::jthread computing([&] {
      auto compute = [&](const std::string &) -> Result<CacheValue> {
        begun.count_down();
        end.wait();
        return CacheValue{"body", {}};
      };
      EXPECT_TRUE(cache.getOrCompute(key, compute));
    });
    begun.wait();
    Cancellation now = {[](void *) -> int32_t { return 1; }, nullptr};
    Result<CacheEntry> entry =
        (isOtherProcess ? second : cache).getOrCompute(key, counting(), now);
    ASSERT_FALSE(entry);
    EXPECT_EQ(entry.failure().status, NEREID_CANCELLED);
    EXPECT_EQ(runs, 0);
    end.count_down();
  }
}

TEST_F(CacheCompute, IsFreedByAnException) {
  Cache cache(options);
  auto raise = [](const std::string &) -> Result<CacheValue> { throw 42; };
  EXPECT_THROW((void)cache.getOrCompute(keyOf("x"), raise), int);
  EXPECT_TRUE(cache.getOrCompute(keyOf("x"), counting()));
}

TEST_F(CacheCompute, StaysCorrectWithReadersWritersAndCollectors) {
  options.limit = 50'000;
  options.stampAge = std::chrono::seconds(0);
  Cache cache(options);
  inThreads(8, [&](int thread) {
    for (int round = 0; round < 60; ++round) {
      std::string name = std::to_string((round * 7 + thread) % 10);
      std::string body(1000, name[0]);
      auto make = [&](const std::string &) -> Result<CacheValue> {
        return CacheValue{body, name};
      };
      Result<CacheEntry> entry = cache.getOrCompute(keyOf(name), make);
      ASSERT_TRUE(entry);
      EXPECT_EQ(entry->body, body);
      EXPECT_EQ(entry->metadata, name);
      if (thread == 0)
        cache.collect(4'000);
      std::error_code ignored; // the others fill it while it is removed
      if (thread == 1 && round % 20 == 0)
        std::filesystem::remove_all(options.directory, ignored);
      if (thread == 2)
        EXPECT_TRUE(cache.verify().damaged.empty());
      if (thread == 3)
        cache.stat();
    }
  });
  EXPECT_TRUE(warnings.empty()) << warnings[0];
}

TEST_F(CacheCompute, WaitsForAnotherProcess) {
  int started[2];
  ASSERT_EQ(::pipe(started), 0);
  pid_t child = inChild([&] {
    Cache cache(options);
    auto slow = [&](const std::string &) -> Result<CacheValue> {
      EXPECT_EQ(::write(started[1], "x", 1), 1); // it has the lock
      std::this_thread::sleep_for(milliseconds(200));
      return CacheValue{"body", {}};
    };
    return bool(cache.getOrCompute(keyOf("x"), slow));
  });
  char byte;
  ASSERT_EQ(::read(started[0], &byte, 1), 1);
  Cache cache(options);
  Result<CacheEntry> entry = cache.getOrCompute(keyOf("x"), counting());
  ASSERT_TRUE(entry);
  EXPECT_TRUE(entry->isFromCache);
  EXPECT_EQ(runs, 0);
  EXPECT_TRUE(succeeded(child));
}

TEST_F(CacheCompute, TakesOverFromAProcessThatDies) {
  int started[2];
  ASSERT_EQ(::pipe(started), 0);
  pid_t child = inChild([&] {
    Cache cache(options);
    auto hang = [&](const std::string &) -> Result<CacheValue> {
      EXPECT_EQ(::write(started[1], "x", 1), 1);
      ::pause();
      return CacheValue{};
    };
    return bool(cache.getOrCompute(keyOf("x"), hang));
  });
  char byte;
  ASSERT_EQ(::read(started[0], &byte, 1), 1);
  std::thread killer([&] {
    std::this_thread::sleep_for(milliseconds(100));
    ::kill(child, SIGKILL);
  });
  Cache cache(options);
  EXPECT_TRUE(cache.getOrCompute(keyOf("x"), counting()));
  EXPECT_EQ(runs, 1);
  killer.join();
  EXPECT_FALSE(succeeded(child));
}

TEST_F(CacheCompute, DoesNotWaitForeverForAProcessThatHangs) {
  options.waitLimit = milliseconds(100);
  KeyLock held(options.directory, keyOf("x"));
  ASSERT_TRUE(held.tryAcquire());
  Cache cache(options);
  EXPECT_TRUE(cache.getOrCompute(keyOf("x"), counting()));
  EXPECT_EQ(runs, 1);
}

TEST_F(CacheCompute, WorksInAChildWhoseParentIsComputing) {
  Cache cache(options);
  std::atomic<bool> isForked = false;
  std::latch computing(1);
  std::thread thread([&] {
    auto slow = [&](const std::string &) -> Result<CacheValue> {
      computing.count_down();
      while (!isForked)
        std::this_thread::sleep_for(milliseconds(1));
      return CacheValue{"body", {}};
    };
    EXPECT_TRUE(cache.getOrCompute(keyOf("x"), slow));
  });
  computing.wait();
  // The table of the parent says that a thread, which the child lacks, is at
  // it; the lock of the key is inherited until the parent is done.
  pid_t child = inChild([&] {
    bool other = bool(cache.getOrCompute(keyOf("y"), counting()));
    return other && bool(cache.getOrCompute(keyOf("x"), counting()));
  });
  isForked = true;
  thread.join();
  EXPECT_TRUE(succeeded(child));
}

TEST(KeyLockTest, ExcludesTheSameKeyOnly) {
  std::string name = testing::TempDir() + "nereid-lock-XXXXXX";
  std::filesystem::path folder = mkdtemp(name.data());
  {
    KeyLock first(folder / "cache", sha256("a"));
    KeyLock second(folder / "cache", sha256("a"));
    KeyLock other(folder / "cache", sha256("b"));
    EXPECT_TRUE(first.tryAcquire());
    EXPECT_FALSE(second.tryAcquire());
    EXPECT_TRUE(other.tryAcquire());
  }
  KeyLock again(folder / "cache", sha256("a"));
  EXPECT_TRUE(again.tryAcquire());
  std::filesystem::remove_all(folder);
}

TEST_F(CacheCompute, FreesItsLockThoughAChildHasInheritedIt) {
  pid_t child = -1;
  {
    KeyLock lock(options.directory, keyOf("x"));
    ASSERT_TRUE(lock.tryAcquire());
    child = ::fork();
    if (child == 0) {
      ::pause();
      ::_exit(0);
    }
  }
  KeyLock again(options.directory, keyOf("x"));
  EXPECT_TRUE(again.tryAcquire());
  ::kill(child, SIGKILL);
  EXPECT_FALSE(succeeded(child));
}

TEST(KeyLockTest, IsFreeWhereLocksCannotBe) {
  KeyLock first("/nonexistent/cache", sha256("a"));
  KeyLock second("/nonexistent/cache", sha256("a"));
  EXPECT_TRUE(first.tryAcquire());
  EXPECT_TRUE(second.tryAcquire());
}
