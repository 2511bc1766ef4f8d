// ForkSafeMutex.cpp - what fork() waits for in a compiler part.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernel/ForkSafeMutex.h"

#include <algorithm>
#include <atomic>
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

static std::mutex firstUse;
static std::atomic<uint32_t> finishedUses{0};

void ForkSafeMutex::lockAll() {
  firstUse.lock();
  registry().mutex.lock();
  for (ForkSafeMutex *one : registry().mutexes)
    one->mutex.lock();
}

void ForkSafeMutex::unlockAll() {
  for (ForkSafeMutex *one : registry().mutexes)
    one->mutex.unlock();
  registry().mutex.unlock();
  firstUse.unlock();
}

void ForkSafeMutex::add() {
  std::lock_guard lock(registry().mutex);
  registry().mutexes.push_back(this);
}

FirstUse::FirstUse(uint32_t use) : bit(1u << std::min(use, 31u)) {
  if (finishedUses.load() & bit)
    return;
  lock = std::unique_lock(firstUse);
  if (finishedUses.load() & bit)
    lock.unlock();
}

void FirstUse::finish() { finishedUses.fetch_or(bit); }

} // namespace nereid::codegen
