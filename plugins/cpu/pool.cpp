// pool.cpp - running a job on workers.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "pool.h"

#include "futex.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <sched.h>

namespace nereid::cpu {

// Nanoseconds that a waiting thread spins before it sleeps.
static constexpr uint64_t kSpin = 30000;

Pool::Pool(unsigned threads)
    : limit(std::clamp(threads, 1u, 0x7fffu)),
      next(std::make_unique<std::atomic<uint64_t>[]>(limit)) {
  plugin::ForkGuard::add(this);
}

Pool::~Pool() {
  plugin::ForkGuard::remove(this);
  ending.store(true);
  bell.fetch_add(1);
  futexWake(bell, INT_MAX);
  for (pthread_t worker : workers)
    pthread_join(worker, nullptr);
}

bool Pool::run(const Job &job, unsigned threads) {
  threads = std::min(threads, limit);
  if (threads <= 1 || job.count <= job.chunk ||
      taken.exchange(true, std::memory_order_acquire))
    return job.run(job.context, 0, job.count);
  if (!started.load(std::memory_order_relaxed))
    startThreads();
  return runWithWorkers(job, threads);
}

std::optional<bool> Pool::runTogether(const Job &job) {
  if (job.count > limit)
    return std::nullopt;
  // Rare, and short of a launch of its own nobody waits for long.
  while (taken.exchange(true, std::memory_order_acquire))
    sched_yield();
  if (!started.load(std::memory_order_relaxed))
    startThreads();
  if (job.count > workers.size() + 1) {
    taken.store(false, std::memory_order_release);
    return std::nullopt;
  }
  return runWithWorkers(job, static_cast<unsigned>(job.count));
}

/// Called by the thread that has taken the workers, which it gives back.
bool Pool::runWithWorkers(const Job &job, unsigned threads) {
  current = job;
  parts = job.isOrdered ? 1 : threads;
  for (unsigned part = 0; part < parts; ++part)
    next[part].store(startOf(part), std::memory_order_relaxed);
  stopped.store(false, std::memory_order_relaxed);
  uint64_t number = numberOf(gate.load(std::memory_order_relaxed)) + 1u;
  unsigned wanted = threads - 1;
  // Sequentially consistent ordering, as in a worker's two steps before it
  // sleeps: either it sees the job, or we see that it sleeps.
  gate.store(number << 32 | kOpen | uint64_t(wanted) << 16);
  if (sleepers.load() > 0) {
    bell.fetch_add(1);
    futexWake(bell, static_cast<int>(wanted));
  }

  runChunks(0);

  // No worker can join any more; wait for those that have.
  gate.fetch_and(~kOpen);
  auto left = [this] { return (gate.load() & kInside) == 0; };
  while (!spinUntil(left, kSpin)) {
    uint32_t seen = done.load();
    waiting.store(1);
    if (!left())
      futexWait(done, seen);
    waiting.store(0);
  }
  bool complete = !stopped.load(std::memory_order_relaxed);
  taken.store(false, std::memory_order_release);
  return complete;
}

/// The first item of a part, or the end of the last.
uint64_t Pool::startOf(unsigned part) const {
  uint64_t size = current.count / parts, longer = current.count % parts;
  return part * size + std::min<uint64_t>(part, longer);
}

/// The caller, number 0, goes through all parts in ascending order: if items of
/// an unordered job do wait for earlier ones, it runs those that no thread has.
void Pool::runChunks(unsigned worker) {
  const Job &job = current;
  for (unsigned step = 0; step < parts; ++step) {
    unsigned part = (worker + step) % parts;
    uint64_t end = startOf(part + 1);
    for (;;) {
      if (stopped.load(std::memory_order_relaxed))
        return;
      uint64_t first =
          next[part].fetch_add(job.chunk, std::memory_order_relaxed);
      if (first >= end)
        break;
      uint64_t count = std::min(job.chunk, end - first);
      if (!job.run(job.context, first, count))
        stopped.store(true, std::memory_order_relaxed);
    }
  }
}

bool Pool::joinable(uint64_t gate, uint32_t last) const {
  return (gate & kOpen) && numberOf(gate) != last &&
         (gate & kInside) < wantedOf(gate);
}

/// Returns the gate of a job that is not number `last`, or 0 at the end.
uint64_t Pool::waitForJob(uint32_t last) {
  for (;;) {
    uint64_t seen = 0;
    auto found = [&] {
      seen = gate.load(std::memory_order_relaxed);
      return joinable(seen, last) || ending.load(std::memory_order_relaxed);
    };
    if (!spinUntil(found, kSpin)) {
      uint32_t rung = bell.load();
      sleepers.fetch_add(1);
      if (seen = gate.load(); !joinable(seen, last) && !ending.load())
        futexWait(bell, rung);
      sleepers.fetch_sub(1);
      continue;
    }
    if (ending.load())
      return 0;
    return seen;
  }
}

void Pool::work() {
  unsigned number = numbered.fetch_add(1) + 1;
  uint32_t last = 0;
  while (uint64_t seen = waitForJob(last)) {
    // The job's fields must not be read before this succeeds.
    if (!gate.compare_exchange_weak(seen, seen + 1))
      continue;
    last = numberOf(seen);
    runChunks(number);
    leave();
  }
}

void Pool::leave() {
  uint64_t before = gate.fetch_sub(1);
  if ((before & kInside) == 1 && waiting.load()) {
    done.fetch_add(1);
    futexWake(done, 1);
  }
}

void *Pool::threadMain(void *pool) {
  static_cast<Pool *>(pool)->work();
  return nullptr;
}

/// Starts as many as the system allows; a job works with fewer, too.
void Pool::startThreads() {
  // Signals belong to the host program's threads, except those that a fault of
  // a kernel raises: if blocked, they would bypass the program's handlers.
  sigset_t all, before;
  sigfillset(&all);
  sigdelset(&all, SIGSEGV);
  sigdelset(&all, SIGBUS);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (unsigned i = 1; i < limit; ++i) {
    pthread_t worker;
    if (pthread_create(&worker, nullptr, threadMain, this) != 0)
      break;
    char name[16];
    std::snprintf(name, sizeof name, "nereid-cpu/%u", i % 10000);
    pthread_setname_np(worker, name);
    workers.push_back(worker);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  started.store(true, std::memory_order_relaxed);
}

/// The child has a copy of the memory, and one thread: the one that forked,
/// which is not inside any of our functions.
void Pool::resetAfterFork() {
  workers.clear();
  gate.store(0);
  sleepers.store(0);
  waiting.store(0);
  stopped.store(false);
  started.store(false);
  numbered.store(0);
  taken.store(false);
}

} // namespace nereid::cpu
