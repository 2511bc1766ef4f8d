// fork_guard.h - notifies objects in the child of a fork() that the other
// threads no longer exist.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PLUGINS_COMMON_FORK_GUARD_H
#define NEREID_PLUGINS_COMMON_FORK_GUARD_H

#include <mutex>

namespace nereid::plugin {

/// An object that depends on other threads.
class ForkAware {
public:
  /// Called before a fork, by the forking thread: waits for work that the child
  /// could not finish.
  virtual void lockForFork() {}
  /// Called after the fork, in the parent and in the child.
  virtual void unlockAfterFork() {}
  /// Called in the child, which has one thread.
  virtual void resetAfterFork() {}

protected:
  ~ForkAware() = default;
};

/// The registry of these objects in this process. [any-thread]
class ForkGuard {
public:
  static void add(ForkAware *object);
  static void remove(ForkAware *object);

private:
  static void prepare();
  static void inParent();
  static void inChild();
};

/// A mutex that fork() waits for, so that in the child it is unlocked and the
/// guarded data consistent: a thread that held it would not exist there. No
/// thread may hold two of them, because fork() locks all. [any-thread]
class ForkSafeMutex final : ForkAware {
public:
  ForkSafeMutex() { ForkGuard::add(this); }
  ~ForkSafeMutex() { ForkGuard::remove(this); }
  ForkSafeMutex(const ForkSafeMutex &) = delete;
  ForkSafeMutex &operator=(const ForkSafeMutex &) = delete;

  void lock() { mutex.lock(); }
  void unlock() { mutex.unlock(); }

private:
  void lockForFork() override { mutex.lock(); }
  void unlockAfterFork() override { mutex.unlock(); }

  std::mutex mutex;
};

} // namespace nereid::plugin

#endif // NEREID_PLUGINS_COMMON_FORK_GUARD_H
