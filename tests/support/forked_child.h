// forked_child.h - a child of fork() that must not hang.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_SUPPORT_FORKED_CHILD_H
#define NEREID_TESTS_SUPPORT_FORKED_CHILD_H

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace nereid::test {

/// True if `work` returns true in a child. One that hangs is killed after a
/// minute.
template <typename Work> bool succeedsInChild(Work work) {
  pid_t child = fork();
  if (child == 0)
    _exit(work() ? 0 : 1);
  for (int round = 0; round < 6000; ++round) {
    int ended = -1;
    if (waitpid(child, &ended, WNOHANG) == child)
      return ended == 0;
    usleep(10000);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return false;
}

} // namespace nereid::test

#endif // NEREID_TESTS_SUPPORT_FORKED_CHILD_H
