// QuietThread.h - threads of the compiler.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_BACKEND_QUIETTHREAD_H
#define NEREID_CPU_COMPILER_BACKEND_QUIETTHREAD_H

#include <csignal>
#include <thread>

namespace nereid::cpu {

/// Starts a thread that takes no signals: they belong to the host program's.
template <typename Work> std::thread startQuietThread(Work work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(work));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_BACKEND_QUIETTHREAD_H
