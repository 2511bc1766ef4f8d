// SpawnPlan.h - what posix_spawn does in a child before its program starts.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// posix_spawn and not fork: the host program may have threads, and much memory
// to copy.

#ifndef NEREID_HOST_WORKER_SPAWN_PLAN_H
#define NEREID_HOST_WORKER_SPAWN_PLAN_H

#include <spawn.h>

#include <csignal>

namespace nereid::worker {

/// The child does not inherit the host program's signal handlers and mask.
class SpawnPlan {
public:
  /// In a process group of its own, Ctrl-C at a terminal does not reach it.
  enum Group { Inherited, Own };

  explicit SpawnPlan(Group group) {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (group == Own) {
      posix_spawnattr_setpgroup(&attributes, 0);
      flags |= POSIX_SPAWN_SETPGROUP;
    }
    posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
  }
  SpawnPlan(const SpawnPlan &) = delete;
  SpawnPlan &operator=(const SpawnPlan &) = delete;
  ~SpawnPlan() {
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
  }

  /// \p from may be \p to, which the child then inherits.
  void copy(int from, int to) {
    posix_spawn_file_actions_adddup2(&actions, from, to);
  }
  void openNull(int to, int flags) {
    posix_spawn_file_actions_addopen(&actions, to, "/dev/null", flags, 0);
  }

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

} // namespace nereid::worker

#endif // NEREID_HOST_WORKER_SPAWN_PLAN_H
