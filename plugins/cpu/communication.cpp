// communication.cpp - which launches run at the same time.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "communication.h"

#include "common/fork_guard.h"
#include "futex.h"

namespace nereid::cpu {

// Nanoseconds that a launch spins before it sleeps.
static constexpr uint64_t kSpin = 30000;

// The launches that run: their number, or kExclusive and, if others wait,
// kAwaited.
static constexpr uint32_t kExclusive = 1u << 31;
static constexpr uint32_t kAwaited = 1u << 30;

namespace {
/// Of all states of the plugin in this process: any may launch kernels on the
/// same memory.
struct Running final : plugin::ForkAware {
  std::atomic<uint32_t> launches{0};

  Running() { plugin::ForkGuard::add(this); }
  ~Running() { plugin::ForkGuard::remove(this); }

  /// Adds one to those that share; waits for an exclusive one.
  void join() {
    uint32_t seen = launches.load(std::memory_order_relaxed);
    for (;;) {
      if (!(seen & kExclusive)) {
        if (launches.compare_exchange_weak(seen, seen + 1,
                                           std::memory_order_acquire))
          return;
        continue;
      }
      launches.compare_exchange_strong(seen, seen | kAwaited,
                                       std::memory_order_relaxed);
      auto isShared = [&] {
        seen = launches.load(std::memory_order_relaxed);
        return !(seen & kExclusive);
      };
      if (spinUntil(isShared, kSpin) != Spin::Done && seen & kAwaited)
        futexWait(launches, seen);
      seen = launches.load(std::memory_order_relaxed);
    }
  }

  /// The exclusive launch becomes `count` that share.
  void open(uint32_t count) {
    if (launches.exchange(count, std::memory_order_release) & kAwaited)
      futexWake(launches, INT_MAX);
  }

private:
  // The thread that forked, which the child has, is not in a launch.
  void resetAfterFork() override { launches.store(0); }
};
} // namespace

static Running &running() {
  static Running object;
  return object;
}

Communication::Communication(const nereid_cpu_kernel_t &image, bool mayExclude)
    : communicates(image.flags & NEREID_CPU_KERNEL_COMMUNICATES) {
  if (!communicates)
    return;
  uint32_t none = 0;
  excludes = mayExclude && running().launches.compare_exchange_strong(
                               none, kExclusive, std::memory_order_acquire);
  if (!excludes)
    running().join();
}

Communication::~Communication() {
  if (excludes)
    running().open(0);
  else if (communicates)
    running().launches.fetch_sub(1, std::memory_order_release);
}

bool Communication::isAwaited() const {
  return excludes &&
         running().launches.load(std::memory_order_relaxed) & kAwaited;
}

void Communication::share() {
  running().open(1);
  excludes = false;
}

} // namespace nereid::cpu
