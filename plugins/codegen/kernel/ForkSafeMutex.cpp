// ForkSafeMutex.cpp - the handlers of pthread_atfork.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernel/ForkSafeMutex.h"

#include <pthread.h>
#include <vector>

namespace nereid::codegen {

namespace {
struct Registry {
  std::mutex mutex;
  std::vector<ForkSafeMutex *> mutexes;
};
} // namespace

/// Never destroyed: a fork may happen during process exit.
static Registry &registry() {
  static Registry *instance = new Registry;
  return *instance;
}

void ForkSafeMutex::lockAll() {
  registry().mutex.lock();
  for (ForkSafeMutex *one : registry().mutexes)
    one->mutex.lock();
}

/// In the parent and in the child, by the thread that called fork().
void ForkSafeMutex::unlockAll() {
  for (ForkSafeMutex *one : registry().mutexes)
    one->mutex.unlock();
  registry().mutex.unlock();
}

void ForkSafeMutex::add() {
  std::lock_guard lock(registry().mutex);
  if (registry().mutexes.empty())
    pthread_atfork(lockAll, unlockAll, unlockAll);
  registry().mutexes.push_back(this);
}

} // namespace nereid::codegen
