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
#include <mutex>
#include <pthread.h>
#include <vector>

namespace nereid::cpu {

/// Work that is cut into items 0 to count - 1.
struct Job {
  /// Runs items `first` to `first + count - 1`; false stops the job: chunks
  /// not yet taken are left out.
  bool (*run)(void *context, uint64_t first, uint64_t count);
  void *context;
  uint64_t count;
  uint64_t chunk; ///< items taken at once, at least 1
  /// Does an item wait for earlier ones?
  bool isOrdered = true;
};

/// Runs jobs on the calling thread and on workers.
///
/// An ordered job's chunks are taken from one counter, so they start in index
/// order: when an item starts, each earlier one has been started by a thread
/// that goes on with it. An item may therefore wait for an earlier one.
///
/// Any other job has a part for each thread, which takes it chunk by chunk and
/// then helps with the parts after it. From job to job a thread has the same
/// part, whose data may still be in its core's caches.
///
/// Workers join a job that they see in time, and the caller never waits for
/// one that has not joined: a slow wake-up costs nothing but its help. After
/// a job a worker spins for some 30 us, since the next one often comes soon,
/// and then sleeps. One job at a time has the workers; others that come
/// meanwhile run on their callers alone.
///
/// Threads start with the first job that wants them. In a child of fork()
/// there are none, and they start anew.
class Pool final : plugin::ForkAware {
public:
  /// `threads` counts the caller.
  explicit Pool(unsigned threads);
  ~Pool();
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

  unsigned threads() const { return limit; }

  /// Runs `job` on up to `threads` threads, the caller among them. Returns
  /// false if an item did. Once the threads run: no lock, no allocation.
  /// [any-thread]
  bool run(const Job &job, unsigned threads);

  /// Workers that are asleep; for tests.
  unsigned sleeping() const { return sleepers.load(); }

private:
  // The gate tells workers of a job. High half: number of the job; then one
  // bit: open; 15 bits: how many workers it wants; 16 bits: how many are in.
  static constexpr uint64_t kOpen = 1ull << 31;
  static constexpr uint64_t kInside = 0xffff;
  static unsigned wantedOf(uint64_t gate) { return gate >> 16 & 0x7fff; }
  static uint32_t numberOf(uint64_t gate) {
    return static_cast<uint32_t>(gate >> 32);
  }

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

  // Written by the caller that owns the pool, read by workers inside.
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
