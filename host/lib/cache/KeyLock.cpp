// KeyLock.cpp - a lock for each key: one process computes an entry.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "cache/KeyLock.h"

#include <functional>

#include <fcntl.h>
#include <unistd.h>

namespace nereid::host {

// Another user could hold a lock on its own file forever.
static bool isOurs(int file) {
  struct stat facts;
  return ::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) &&
         facts.st_uid == ::geteuid();
}

static FileDescriptor openLockFile(const std::string &directory) {
  // The parent of a mounted volume is often not ours: then inside.
  for (const char *suffix : {".lock", "/lock"}) {
    FileDescriptor file = openFile(directory + suffix, O_RDWR | O_CREAT, 0600);
    if (file && isOurs(file.get()))
      return file;
  }
  return {};
}

KeyLock::KeyLock(const std::string &directory, const Digest &key)
    : file(openLockFile(directory)),
      offset(int64_t(std::hash<Digest>()(key) >> 2)) {}

static int setLock(int file, short type, int64_t offset) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = offset;
  lock.l_len = 1;
  return withoutInterruption([&] { return ::fcntl(file, F_OFD_SETLK, &lock); });
}

bool KeyLock::tryAcquire() {
  if (!file || isHeld)
    return true;
  isHeld = setLock(file.get(), F_WRLCK, offset) == 0;
  return isHeld || errno != EAGAIN;
}

KeyLock::~KeyLock() {
  // Closing is not enough if a child of this process has inherited the file.
  if (isHeld)
    setLock(file.get(), F_UNLCK, offset);
}

} // namespace nereid::host
