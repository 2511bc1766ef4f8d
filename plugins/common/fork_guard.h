// fork_guard.h - notifies objects in the child of a fork() that the other
// threads no longer exist.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PLUGINS_COMMON_FORK_GUARD_H
#define NEREID_PLUGINS_COMMON_FORK_GUARD_H

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

} // namespace nereid::plugin

#endif // NEREID_PLUGINS_COMMON_FORK_GUARD_H
