// ForkSafeMutex.h - what fork() waits for in a compiler part: mutexes, which
// are unlocked in the child, and the first use of LLVM.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_KERNEL_FORKSAFEMUTEX_H
#define NEREID_CODEGEN_KERNEL_FORKSAFEMUTEX_H

#include <cstdint>
#include <mutex>

namespace nereid::codegen {

/// A mutex that fork() waits for, so that in the child it is unlocked and the
/// guarded data consistent: a thread that held it would not exist there. It
/// must be held for milliseconds at most, and no thread may hold two of them,
/// because fork() locks all. Must have static storage duration.
///
/// The plugin locks them in its own handler of fork(), which has been there for
/// longer than this part: a fork that begins while another thread loads the
/// part would not call a handler of the part's own.
class ForkSafeMutex {
public:
  void lock() {
    std::call_once(registered, [this] { add(); });
    mutex.lock();
  }
  void unlock() { mutex.unlock(); }

  /// Before and after a fork(), by the thread that forks.
  static void lockAll();
  static void unlockAll();

private:
  void add();

  std::once_flag registered; // repeated if a fork interrupts it
  std::mutex mutex;
};

/// While one exists, LLVM is used in the way \p use, of which those from 31 on
/// are one. The first time, fork() waits for it: what LLVM initializes then
/// would stay half initialized in the child. Other threads that use LLVM in the
/// same way wait, too, until finish() tells that it was done. fork() locks its
/// mutex before every ForkSafeMutex, so these may be held inside.
class FirstUse {
public:
  explicit FirstUse(uint32_t use);
  FirstUse(const FirstUse &) = delete;

  void finish();

private:
  const uint32_t bit;
  std::unique_lock<std::mutex> lock;
};

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_FORKSAFEMUTEX_H
