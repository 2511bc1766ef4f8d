// ForkSafeMutex.h - mutexes of the compiler that are unlocked in the child of a
// fork().
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_KERNEL_FORKSAFEMUTEX_H
#define NEREID_CODEGEN_KERNEL_FORKSAFEMUTEX_H

#include <mutex>

namespace nereid::codegen {

/// A mutex that fork() waits for (pthread_atfork), so that in the child it is
/// unlocked and the guarded data consistent: a thread that held it would not
/// exist there. It must be held for milliseconds at most, and no thread may
/// hold two of them, because fork() locks all. Must have static storage
/// duration.
class ForkSafeMutex {
public:
  void lock() {
    std::call_once(registered, [this] { add(); });
    mutex.lock();
  }
  void unlock() { mutex.unlock(); }

private:
  void add();
  static void lockAll();
  static void unlockAll();

  std::once_flag registered; // repeated if a fork interrupts it
  std::mutex mutex;
};

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_FORKSAFEMUTEX_H
