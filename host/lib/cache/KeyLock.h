// KeyLock.h - a lock for each key: one process computes an entry.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// All keys of a cache share one empty lock file; a key is one byte far beyond
// its end, locked by a lock of the open file (F_OFD_SETLK). The system drops it
// when its holder dies, and there is nothing to clean up. The file is beside
// the directory, not in it, so that removing the cache does not remove the
// locks of processes that are filling it.

#ifndef NEREID_HOST_CACHE_KEY_LOCK_H
#define NEREID_HOST_CACHE_KEY_LOCK_H

#include "cache/CacheFile.h"
#include "cache/Digest.h"

#include <string>

namespace nereid::host {

/// The right to compute one entry. It only saves work: without it results are
/// still correct.
class KeyLock {
public:
  /// For \p key of the cache in \p directory.
  KeyLock(const std::string &directory, const Digest &key);
  ~KeyLock();
  KeyLock(const KeyLock &) = delete;
  KeyLock &operator=(const KeyLock &) = delete;

  /// Never waits. False only if another process holds the lock; always true
  /// where locks do not work.
  bool tryAcquire();

private:
  FileDescriptor file;
  int64_t offset;
  bool isHeld = false;
};

} // namespace nereid::host

#endif // NEREID_HOST_CACHE_KEY_LOCK_H
