// fork_guard.cpp - pthread_atfork for pools.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "fork_guard.h"

#include "pool.h"

#include <algorithm>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace nereid::cpu {

namespace {
struct Registry {
  std::mutex mutex;
  std::vector<Pool *> pools;
  bool hooked = false;
};
} // namespace

/// Never destroyed: a fork may come while the process ends.
static Registry &registry() {
  static Registry *instance = new Registry;
  return *instance;
}

void ForkGuard::prepare() { registry().mutex.lock(); }
void ForkGuard::inParent() { registry().mutex.unlock(); }

void ForkGuard::inChild() {
  for (Pool *pool : registry().pools)
    pool->resetAfterFork();
  registry().mutex.unlock();
}

void ForkGuard::add(Pool *pool) {
  std::lock_guard lock(registry().mutex);
  registry().pools.push_back(pool);
  if (!registry().hooked)
    registry().hooked = pthread_atfork(prepare, inParent, inChild) == 0;
}

void ForkGuard::remove(Pool *pool) {
  std::lock_guard lock(registry().mutex);
  std::erase(registry().pools, pool);
}

} // namespace nereid::cpu
