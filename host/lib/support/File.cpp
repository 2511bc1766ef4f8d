// File.cpp - file helpers of the loader.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "support/File.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <system_error>

namespace nereid::host {

void FileHandle::close() {
  if (file < 0)
    return;
  int saved = errno;
  ::close(std::exchange(file, -1));
  errno = saved;
}

FileHandle openForReading(const std::string &path) {
  int file;
  do
    file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  while (file < 0 && errno == EINTR);
  return FileHandle(file);
}

bool readExactly(int file, char *out, uint64_t count, uint64_t offset) {
  constexpr uint64_t maxOffset = std::numeric_limits<off_t>::max();
  if (offset > maxOffset || count > maxOffset - offset)
    return false;
  while (count) {
    ssize_t got = pread(file, out, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    out += got;
    count -= static_cast<uint64_t>(got);
    offset += static_cast<uint64_t>(got);
  }
  return true;
}

std::string errorText(int error) {
  std::string text = std::generic_category().message(error);
  if (!text.empty())
    text[0] =
        static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

std::string fileKind(mode_t mode) {
  if (S_ISREG(mode))
    return "a regular file";
  if (S_ISDIR(mode))
    return "a directory";
  if (S_ISFIFO(mode))
    return "a FIFO";
  if (S_ISSOCK(mode))
    return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode))
    return "a device";
  return "a file of unknown type";
}

static sigset_t sizeSignal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGXFSZ);
  return signals;
}

SizeSignalBlock::SizeSignalBlock() {
  sigset_t blocked = sizeSignal();
  pthread_sigmask(SIG_BLOCK, &blocked, &previous);
}

SizeSignalBlock::~SizeSignalBlock() {
  // Already blocked by the caller: leave the signal pending.
  if (sigismember(&previous, SIGXFSZ))
    return;
  int saved = errno;
  sigset_t blocked = sizeSignal();
  timespec now = {};
  while (sigtimedwait(&blocked, nullptr, &now) < 0 && errno == EINTR) {
  }
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  errno = saved;
}

std::string resolvePath(const std::string &path) {
  // realpath would stop at a NUL and resolve another file.
  if (path.find('\0') != std::string::npos) {
    errno = EINVAL;
    return {};
  }
  char *resolved = realpath(path.c_str(), nullptr);
  if (!resolved)
    return {};
  std::string text = resolved;
  std::free(resolved);
  return text;
}

std::string ownDirectory() {
  Dl_info info = {};
  if (!dladdr(reinterpret_cast<const void *>(&ownDirectory), &info) ||
      !info.dli_fname)
    return {};
  std::string path = resolvePath(info.dli_fname);
  // A program is known by the name it was started with, which may be relative
  // to a directory that it has left.
  if (info.dli_fname[0] != '/')
    path = resolvePath("/proc/self/exe");
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

} // namespace nereid::host
