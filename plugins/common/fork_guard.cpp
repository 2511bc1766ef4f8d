// fork_guard.cpp - pthread_atfork for objects.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "fork_guard.h"

#include <algorithm>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace nereid::plugin {

namespace {
struct Registry {
  std::mutex mutex;
  std::vector<ForkAware *> objects;
  bool hooked = false;
};
} // namespace

/// Never destroyed: a fork may come while the process ends.
static Registry &registry() {
  static Registry *instance = new Registry;
  return *instance;
}

void ForkGuard::prepare() {
  registry().mutex.lock();
  for (ForkAware *object : registry().objects)
    object->lockForFork();
}

void ForkGuard::inParent() {
  for (ForkAware *object : registry().objects)
    object->unlockAfterFork();
  registry().mutex.unlock();
}

void ForkGuard::inChild() {
  for (ForkAware *object : registry().objects)
    object->resetAfterFork();
  inParent();
}

void ForkGuard::add(ForkAware *object) {
  std::lock_guard lock(registry().mutex);
  registry().objects.push_back(object);
  if (!registry().hooked)
    registry().hooked = pthread_atfork(prepare, inParent, inChild) == 0;
}

void ForkGuard::remove(ForkAware *object) {
  std::lock_guard lock(registry().mutex);
  std::erase(registry().objects, object);
}

} // namespace nereid::plugin
