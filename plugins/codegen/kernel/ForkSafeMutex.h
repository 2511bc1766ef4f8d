// ForkSafeMutex.h - mutexes of the compiler that are free in the child of a
// fork().
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_KERNEL_FORKSAFEMUTEX_H
#define NEREID_CODEGEN_KERNEL_FORKSAFEMUTEX_H

#include <mutex>

namespace nereid::codegen {

/// A mutex that fork() waits for (pthread_atfork), so that in the child it is
/// free, and what it guards is in a consistent state: a thread that held it
/// would not exist there. It is held for milliseconds at most, and no thread
/// may hold two of them, because fork() locks all of them. Of static storage
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

  std::once_flag registered; // after a fork in the middle, it is done again
  std::mutex mutex;
};

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_FORKSAFEMUTEX_H
