// QuietThreads.h - blocks signals on threads of the compiler.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_KERNEL_QUIETTHREADS_H
#define NEREID_CODEGEN_KERNEL_QUIETTHREADS_H

#include <csignal>

namespace nereid::codegen {

/// Threads created in its lifetime have all signals blocked: signals belong to
/// the host program's threads.
class QuietThreads {
public:
  QuietThreads() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
  }
  ~QuietThreads() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  QuietThreads(const QuietThreads &) = delete;
  QuietThreads &operator=(const QuietThreads &) = delete;

private:
  sigset_t before;
};

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_QUIETTHREADS_H
