// ForkCount.cpp - counts forks with a handler that runs in each child.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "support/ForkCount.h"

#include <pthread.h>

namespace nereid::host {

std::atomic<uint32_t> forkCounter = 0;

static void countFork() { forkCounter.fetch_add(1, std::memory_order_relaxed); }

void watchForks() {
  static const int registered = pthread_atfork(nullptr, nullptr, countFork);
  (void)registered; // it fails for lack of memory alone
}

} // namespace nereid::host
