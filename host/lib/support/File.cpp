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

int FileDescriptor::close() {
  // After a failed close, even an interrupted one, Linux has closed it.
  if (number < 0 || ::close(std::exchange(number, -1)) == 0 || errno == EINTR)
    return 0;
  return errno;
}

FileDescriptor::~FileDescriptor() {
  int saved = errno;
  close();
  errno = saved;
}

FileDescriptor openForReading(const std::string &path) {
  return FileDescriptor(withoutInterruption([&] {
    return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  }));
}

ssize_t readUpTo(int file, char *out, size_t size, off_t offset) {
  size_t done = 0;
  while (done < size) {
    ssize_t count = withoutInterruption([&] {
      return ::pread(file, out + done, size - done,
                     offset + static_cast<off_t>(done));
    });
    if (count < 0)
      return -1;
    if (count == 0)
      break;
    done += static_cast<size_t>(count);
  }
  return static_cast<ssize_t>(done);
}

bool readExactly(int file, char *out, uint64_t count, uint64_t offset) {
  constexpr uint64_t maxOffset = std::numeric_limits<off_t>::max();
  if (offset > maxOffset || count > maxOffset - offset)
    return false;
  ssize_t got = readUpTo(file, out, count, static_cast<off_t>(offset));
  return got >= 0 && static_cast<uint64_t>(got) == count;
}

// `put` writes some of the bytes that it is given, and returns how many.
template <typename Put>
static int putAll(std::string_view bytes, Put put) noexcept {
  while (!bytes.empty()) {
    ssize_t count = withoutInterruption([&] { return put(bytes); });
    if (count <= 0)
      return count < 0 ? errno : ENOSPC;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return 0;
}

int writeAll(int file, std::string_view bytes) noexcept {
  return putAll(bytes, [file](std::string_view rest) {
    return ::write(file, rest.data(), rest.size());
  });
}

int writeAllAt(int file, std::string_view bytes, off_t offset) noexcept {
  return putAll(bytes, [file, &offset](std::string_view rest) {
    ssize_t count = ::pwrite(file, rest.data(), rest.size(), offset);
    offset += std::max<ssize_t>(count, 0);
    return count;
  });
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
