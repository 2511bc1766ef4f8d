// pool.h - the threads that run programs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_POOL_H
#define NEREID_CPU_POOL_H

#include "common/fork_guard.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <pthread.h>
#include <vector>

namespace nereid::cpu {

/// Work that is divided into items 0 to count - 1.
struct Job {
  /// Runs items `first` to `first + count - 1`. Returning false stops the job:
  /// chunks that have not started are skipped.
  bool (*run)(void *context, uint64_t first, uint64_t count);
  void *context;
  uint64_t count;
  uint64_t chunk; ///< items per chunk, at least 1
  /// May an item wait for earlier ones?
  bool isOrdered = true;
  /// So short that waking a thread costs more than it saves: only workers that
  /// are awake help.
  bool isShort = false;
};

/// Runs jobs on the calling thread and on workers.
///
/// An ordered job's chunks are taken from one counter, so they start in index
/// order: when an item starts, each earlier one is finished or running on some
/// thread. An item may therefore wait for an earlier one.
///
/// Any other job has one part per thread, which runs it chunk by chunk and then
/// steals chunks from the parts after it. A thread has the same part in each
/// job, whose data may still be in its core's caches.
///
/// Workers join a job while it runs, and the caller never waits for a worker
/// that has not joined, so a slow wake-up does not delay it. After a job a
/// worker spins for some 30 us, since the next one often follows soon, and then
/// sleeps; while other threads compete for its core it sleeps at once. A worker
/// that joins wakes two others, so that many threads start in few steps. What
/// each thread writes is on cache lines of its own: the cost of a job hardly
/// grows with the number of threads. One job at a time uses the workers;
/// concurrent jobs run on their callers only.
///
/// Threads start with the first job that needs them. In a child of fork() there
/// are none, and they are started again.
class Pool final : plugin::ForkAware {
public:
  /// `threads` counts the caller.
  explicit Pool(unsigned threads);
  ~Pool();
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

  unsigned threads() const { return limit; }

  /// Runs `job` on up to `threads` threads, including the caller. Returns false
  /// if an item did. Once the threads are started: no lock, no allocation.
  /// [any-thread]
  bool run(const Job &job, unsigned threads);

  /// Runs each item of an ordered job, whose chunks are of one item, on a
  /// thread of its own, all at the same time, so that items may wait for each
  /// other in any order. Waits for the job that uses the workers to end.
  /// Returns nothing if there are fewer threads than items, else what run()
  /// returns. [any-thread]
  std::optional<bool> runTogether(const Job &job);

  /// Workers that are asleep; for tests.
  unsigned sleeping() const;

private:
  // The gate announces a job to the workers. High half: number of the job; then
  // one bit: open, while a chunk may be left; 31 bits: threads that may join,
  // including the caller.
  static constexpr uint64_t kOpen = 1ull << 31;
  static uint32_t threadsOf(uint64_t gate) { return gate & (kOpen - 1); }
  static uint32_t numberOf(uint64_t gate) {
    return static_cast<uint32_t>(gate >> 32);
  }

  /// What belongs to one thread; the caller's is the first.
  struct Thread {
    /// The job that it has joined; 0: none.
    alignas(64) std::atomic<uint32_t> joined{0};
    /// 1 while it sleeps or is about to; it sleeps on this word. On another
    /// line, which is rarely written, because others read it in every job.
    alignas(64) std::atomic<uint32_t> asleep{0};
    /// Chunks of its part that were taken. High half: the number of the job;
    /// if it is another one's, none were.
    alignas(64) std::atomic<uint64_t> taken{0};
  };

  bool runWithWorkers(const Job &job, unsigned threads);
  uint64_t startOf(unsigned part) const;
  bool takeChunk(unsigned part, uint32_t number, uint64_t end, uint64_t &first);
  void runChunks(unsigned thread, uint32_t number);
  void close();
  void waitFor(unsigned thread, uint32_t number);
  void wake(unsigned thread);
  void wakeNext(unsigned thread, unsigned threads);
  static bool isJoinable(uint64_t gate, unsigned thread, uint32_t last);
  uint64_t waitForJob(unsigned thread, uint32_t last, unsigned &crowded);
  bool join(unsigned thread, uint32_t number);
  void leave(unsigned thread);
  void work();
  static void *threadMain(void *pool);
  void startThreads();
  void resetAfterFork() override;

  const unsigned limit;
  const std::unique_ptr<Thread[]> each;

  // Written by the caller that owns the pool, read by workers that have joined.
  alignas(64) Job current = {};
  unsigned parts = 1;

  alignas(64) std::atomic<uint64_t> gate{0};
  alignas(64) std::atomic<bool> stopped{false};
  std::atomic<bool> ending{false};
  std::atomic<uint32_t> awaited{
      0};                        // the thread whose leaving the caller awaits
  std::atomic<uint32_t> done{0}; // the caller sleeps on it

  alignas(64) std::atomic<bool> taken{false};
  std::atomic<bool> started{false};
  std::atomic<unsigned> numbered{0}; // workers that have their number
  std::vector<pthread_t> workers;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_POOL_H
