// ForkCount.h - distinguishes a process from its forked children.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_SUPPORT_FORK_COUNT_H
#define NEREID_HOST_SUPPORT_FORK_COUNT_H

#include <atomic>
#include <cstdint>

namespace nereid::host {

extern std::atomic<uint32_t> forkCounter;

/// How often fork() was called on the way to this process, counted from the
/// first call of watchForks(): it changes in each child.
inline uint32_t forkCount() noexcept {
  return forkCounter.load(std::memory_order_relaxed);
}

/// Makes forkCount() count.
void watchForks();

} // namespace nereid::host

#endif // NEREID_HOST_SUPPORT_FORK_COUNT_H
