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
/// sleeps. One job at a time uses the workers; concurrent jobs run on their
/// callers only.
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

  /// Runs each item of an ordered job, whose chunks are of one item, on a thread
  /// of its own, all at the same time, so that items may wait for each other in
  /// any order. Waits for the job that uses the workers to end. Returns nothing
  /// if there are fewer threads than items, else what run() returns.
  /// [any-thread]
  std::optional<bool> runTogether(const Job &job);

  /// Workers that are asleep; for tests.
  unsigned sleeping() const { return sleepers.load(); }

private:
  // The gate announces a job to the workers. High half: number of the job; then
  // one bit: open; 15 bits: workers wanted; 16 bits: workers that have joined.
  static constexpr uint64_t kOpen = 1ull << 31;
  static constexpr uint64_t kInside = 0xffff;
  static unsigned wantedOf(uint64_t gate) { return gate >> 16 & 0x7fff; }
  static uint32_t numberOf(uint64_t gate) {
    return static_cast<uint32_t>(gate >> 32);
  }

  bool runWithWorkers(const Job &job, unsigned threads);
  static void *threadMain(void *pool);
  void work();
  bool joinable(uint64_t gate, uint32_t last) const;
  uint64_t waitForJob(uint32_t last);
  void runChunks(unsigned worker);
  uint64_t startOf(unsigned part) const;
  void leave();
  void startThreads();
  void resetAfterFork() override;

  const unsigned limit;

  // Written by the caller that owns the pool, read by workers that have joined.
  Job current = {};
  unsigned parts = 1;
  alignas(64) std::atomic<bool> stopped{false};
  const std::unique_ptr<std::atomic<uint64_t>[]> next; // of each part

  alignas(64) std::atomic<uint64_t> gate{0};
  alignas(64) std::atomic<uint32_t> sleepers{0};
  std::atomic<uint32_t> bell{0};    // workers sleep on it
  std::atomic<uint32_t> waiting{0}; // the caller sleeps on `done`
  std::atomic<uint32_t> done{0};
  std::atomic<bool> ending{false};

  alignas(64) std::atomic<bool> taken{false};
  std::atomic<bool> started{false};
  std::atomic<unsigned> numbered{0}; // workers that have their number
  std::vector<pthread_t> workers;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_POOL_H
