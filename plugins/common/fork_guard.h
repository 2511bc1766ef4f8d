// fork_guard.h - tells objects in the child of a fork() that the other threads
// are gone.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PLUGINS_COMMON_FORK_GUARD_H
#define NEREID_PLUGINS_COMMON_FORK_GUARD_H

namespace nereid::plugin {

/// What waits for other threads.
class ForkAware {
public:
  /// Before a fork, by the thread that calls it: waits for what the child could
  /// not finish.
  virtual void lockForFork() {}
  /// After it, in the parent and in the child.
  virtual void unlockAfterFork() {}
  /// In the child, where there is one thread.
  virtual void resetAfterFork() {}

protected:
  ~ForkAware() = default;
};

/// Those objects of this process. [any-thread]
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
