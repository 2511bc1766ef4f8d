// fork_guard.h - tells pools in the child of a fork() that their threads are
// gone.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_FORK_GUARD_H
#define NEREID_CPU_FORK_GUARD_H

namespace nereid::cpu {

class Pool;

/// The pools of this process. [any-thread]
class ForkGuard {
public:
  static void add(Pool *pool);
  static void remove(Pool *pool);

private:
  static void prepare();
  static void inParent();
  static void inChild();
};

} // namespace nereid::cpu

#endif // NEREID_CPU_FORK_GUARD_H
