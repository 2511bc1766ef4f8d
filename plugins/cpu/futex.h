// futex.h - sleeping on a 32-bit word.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_FUTEX_H
#define NEREID_CPU_FUTEX_H

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace nereid::cpu {

/// Sleeps while `word` is `expected`; may return early.
inline void futexWait(std::atomic<uint32_t> &word, uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

inline void futexWake(std::atomic<uint32_t> &word, int count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

inline void cpuRelax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

inline uint64_t monotonicNanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u +
         static_cast<uint64_t>(now.tv_nsec);
}

enum class Spin {
  Done,
  TimedOut,
  Preempted ///< the core went to another thread for longer than the time
};

/// Spins on `done` for about `nanoseconds`.
template <typename Test> Spin spinUntil(Test done, uint64_t nanoseconds) {
  for (unsigned i = 0; i < 64; ++i) {
    if (done())
      return Spin::Done;
    cpuRelax();
  }
  // Reading the clock costs as much as a few iterations.
  uint64_t before = monotonicNanoseconds(), now = before;
  for (uint64_t end = now + nanoseconds; now < end;) {
    for (unsigned i = 0; i < 16; ++i) {
      if (done())
        return Spin::Done;
      cpuRelax();
    }
    before = std::exchange(now, monotonicNanoseconds());
  }
  if (done())
    return Spin::Done;
  return now - before > nanoseconds ? Spin::Preempted : Spin::TimedOut;
}

} // namespace nereid::cpu

#endif // NEREID_CPU_FUTEX_H
