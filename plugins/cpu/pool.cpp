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
// Waits without spinning after a thread lost its core while it spun.
static constexpr unsigned kCrowdedWaits = 16;

Pool::Pool(unsigned threads)
    : limit(std::clamp(threads, 1u, 0x7fffu)),
      each(std::make_unique<Thread[]>(limit)) {
  plugin::ForkGuard::add(this);
}

Pool::~Pool() {
  plugin::ForkGuard::remove(this);
  ending.store(true);
  for (unsigned thread = 1; thread <= workers.size(); ++thread)
    wake(thread);
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
  // A chunk's number has 32 bits.
  current.chunk = std::max(job.chunk, job.count >> 31);
  parts = job.isOrdered ? 1 : threads;
  stopped.store(false, std::memory_order_relaxed);
  uint32_t number = numberOf(gate.load(std::memory_order_relaxed)) + 1;
  if (number == 0) { // is that of no job
    number = 1;
    for (unsigned thread = 0; thread < limit; ++thread)
      each[thread].taken.store(0, std::memory_order_relaxed);
  }
  // Sequentially consistent ordering, as in a worker's two steps before it
  // sleeps: either it sees the job, or we see that it sleeps.
  gate.store(uint64_t(number) << 32 | kOpen | threads);
  wakeNext(0, threads);

  runChunks(0, number);

  // No worker can join any more; wait for those that have.
  close();
  for (unsigned thread = 1; thread < threads; ++thread)
    waitFor(thread, number);
  bool complete = !stopped.load(std::memory_order_relaxed);
  taken.store(false, std::memory_order_release);
  return complete;
}

/// The first item of a part, or the end of the last.
uint64_t Pool::startOf(unsigned part) const {
  uint64_t size = current.count / parts, longer = current.count % parts;
  return part * size + std::min<uint64_t>(part, longer);
}

/// Takes a chunk of `part`, which ends at `end`, and sets its first item. False
/// if none is left.
bool Pool::takeChunk(unsigned part, uint32_t number, uint64_t end,
                     uint64_t &first) {
  std::atomic<uint64_t> &chunks = each[part].taken;
  uint64_t start = startOf(part), size = current.chunk;
  auto isLeft = [&](uint64_t chunk) {
    return first = start + (chunk & UINT32_MAX) * size, first < end;
  };
  uint64_t seen = chunks.load(std::memory_order_relaxed);
  if (numberOf(seen) != number)
    chunks.compare_exchange_strong(seen, uint64_t(number) << 32,
                                   std::memory_order_relaxed);
  else if (!isLeft(seen))
    return false;
  return isLeft(chunks.fetch_add(1, std::memory_order_relaxed));
}

/// The caller, number 0, goes through all parts in ascending order: if items of
/// an unordered job do wait for earlier ones, it runs those that no thread has.
/// The first thread that finds all chunks taken closes the gate.
void Pool::runChunks(unsigned thread, uint32_t number) {
  const Job &job = current;
  for (unsigned step = 0; step < parts; ++step) {
    unsigned part = (thread + step) % parts;
    uint64_t end = startOf(part + 1), first = 0;
    while (gate.load(std::memory_order_relaxed) & kOpen &&
           takeChunk(part, number, end, first)) {
      if (job.run(job.context, first, std::min(job.chunk, end - first)))
        continue;
      stopped.store(true, std::memory_order_relaxed);
      close();
    }
  }
  close();
}

void Pool::close() {
  if (gate.load() & kOpen)
    gate.fetch_and(~kOpen);
}

/// Waits until `thread` has left job `number`, if it has joined that.
void Pool::waitFor(unsigned thread, uint32_t number) {
  auto hasLeft = [&] { return each[thread].joined.load() != number; };
  while (spinUntil(hasLeft, kSpin) != Spin::Done) {
    uint32_t seen = done.load();
    awaited.store(thread);
    if (!hasLeft())
      futexWait(done, seen);
    awaited.store(0);
  }
}

/// Wakes `thread` if it sleeps.
void Pool::wake(unsigned thread) {
  std::atomic<uint32_t> &asleep = each[thread].asleep;
  if (asleep.load() && asleep.exchange(0))
    futexWake(asleep, 1);
}

/// The part of `thread` in waking the others, which form a binary tree.
void Pool::wakeNext(unsigned thread, unsigned threads) {
  if (current.isShort)
    return;
  for (unsigned next = 2 * thread + 1; next <= 2 * thread + 2; ++next)
    if (next < threads)
      wake(next);
}

unsigned Pool::sleeping() const {
  unsigned count = 0;
  for (unsigned thread = 1; thread < limit; ++thread)
    count += each[thread].asleep.load();
  return count;
}

bool Pool::isJoinable(uint64_t gate, unsigned thread, uint32_t last) {
  return gate & kOpen && numberOf(gate) != last && thread < threadsOf(gate);
}

/// Returns the gate of a job that is not number `last`, or 0 at the end.
/// `crowded` counts the waits that are left without spinning.
uint64_t Pool::waitForJob(unsigned thread, uint32_t last, unsigned &crowded) {
  std::atomic<uint32_t> &asleep = each[thread].asleep;
  uint64_t seen = 0;
  auto found = [&] {
    seen = gate.load(std::memory_order_relaxed);
    return isJoinable(seen, thread, last) ||
           ending.load(std::memory_order_relaxed);
  };
  for (;;) {
    Spin end = Spin::TimedOut;
    if (crowded)
      --crowded;
    else if (end = spinUntil(found, kSpin); end == Spin::Preempted)
      crowded = kCrowdedWaits;
    if (end == Spin::Done)
      return ending.load() ? 0 : seen;
    asleep.store(1);
    if (seen = gate.load(); !isJoinable(seen, thread, last) && !ending.load())
      futexWait(asleep, 1);
    asleep.store(0);
    if (found())
      return ending.load() ? 0 : seen;
  }
}

/// False if the job's gate was closed meanwhile. Only after it may the job's
/// fields be read.
bool Pool::join(unsigned thread, uint32_t number) {
  each[thread].joined.store(number);
  uint64_t seen = gate.load();
  if (seen & kOpen && numberOf(seen) == number)
    return true;
  leave(thread);
  return false;
}

void Pool::leave(unsigned thread) {
  each[thread].joined.store(0);
  if (awaited.load() == thread) {
    done.fetch_add(1);
    futexWake(done, 1);
  }
}

void Pool::work() {
  unsigned thread = numbered.fetch_add(1) + 1, crowded = 0;
  uint32_t last = 0;
  while (uint64_t seen = waitForJob(thread, last, crowded)) {
    uint32_t number = numberOf(seen);
    if (!join(thread, number))
      continue;
    last = number;
    wakeNext(thread, threadsOf(seen));
    runChunks(thread, number);
    leave(thread);
  }
}

void *Pool::threadMain(void *pool) {
  static_cast<Pool *>(pool)->work();
  return nullptr;
}

/// Starts as many as the system allows; a job works with fewer, too.
void Pool::startThreads() {
  // Signals belong to the host program's threads, except those that a fault of
  // a kernel raises, which would bypass the program's handlers if they were
  // blocked, and that of profilers, which would not see the workers.
  sigset_t all, before;
  sigfillset(&all);
  sigdelset(&all, SIGSEGV);
  sigdelset(&all, SIGBUS);
  sigdelset(&all, SIGPROF);
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
  for (unsigned thread = 0; thread < limit; ++thread) {
    each[thread].joined.store(0);
    each[thread].asleep.store(0);
    each[thread].taken.store(0);
  }
  awaited.store(0);
  stopped.store(false);
  started.store(false);
  numbered.store(0);
  taken.store(false);
}

} // namespace nereid::cpu
