// CacheFile.cpp - reading, writing and publishing whole files.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "cache/CacheFile.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace nereid::host {

// No kernel has this size; a file that claims it is not an entry.
static constexpr uint64_t largestFile = uint64_t(2) << 30;

static bool isPassing(int error) { return error == ESTALE || error == EBUSY; }

FileDescriptor openFile(const std::string &path, int flags, mode_t mode) {
  // O_NONBLOCK: opening a fifo that somebody put here must not hang.
  flags |= O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  int number = -1;
  for (int left = 3; left; --left) {
    number =
        withoutInterruption([&] { return ::open(path.c_str(), flags, mode); });
    if (number >= 0 || !isPassing(errno))
      break;
  }
  return FileDescriptor(number);
}

static FileContents failed(FileContents::Status status, std::string reason) {
  FileContents result;
  result.status = status;
  result.reason = std::move(reason);
  return result;
}

static std::string unfitness(const struct stat &facts) {
  if (!S_ISREG(facts.st_mode))
    return "not a regular file";
  if (facts.st_uid != ::geteuid())
    return "owned by user " + std::to_string(facts.st_uid);
  if (facts.st_mode & (S_IWGRP | S_IWOTH))
    return "others can write it";
  if (uint64_t(facts.st_size) > largestFile)
    return std::to_string(facts.st_size) + " bytes are too many";
  return {};
}

static FileContents readOnce(const std::string &path) {
  using Status = FileContents::Status;
  FileDescriptor file = openFile(path, O_RDONLY);
  if (!file && (errno == ENOENT || errno == ENOTDIR))
    return failed(Status::Absent, {});
  if (!file && errno == ELOOP)
    return failed(Status::Unfit, "a symbolic link");
  FileContents result;
  if (!file || withoutInterruption(
                   [&] { return ::fstat(file.get(), &result.facts); }) != 0)
    return failed(Status::Unreadable, errorText(errno));
  if (std::string reason = unfitness(result.facts); !reason.empty())
    return failed(Status::Unfit, std::move(reason));

  result.size = size_t(result.facts.st_size);
  // One byte more than expected, to detect a file that grew meanwhile.
  char *bytes = new (std::nothrow) char[result.size + 1];
  result.data.reset(bytes);
  if (!bytes)
    return failed(Status::Unreadable, errorText(ENOMEM));
  ssize_t count = readUpTo(file.get(), bytes, result.size + 1);
  if (count < 0)
    return failed(Status::Unreadable, errorText(errno));
  if (size_t(count) != result.size)
    return failed(Status::Unfit, "changes while it is read");
  result.status = Status::Whole;
  return result;
}

FileContents readFile(const std::string &path) {
  FileContents result = readOnce(path);
  // A stale handle and a bad read of a network file system are often gone when
  // the file is opened again.
  for (int left = 2; left && result.status == FileContents::Status::Unreadable;
       --left)
    result = readOnce(path);
  return result;
}

bool canBeExecuted(const std::string &path) {
  struct statvfs system;
  return ::statvfs(path.c_str(), &system) == 0 && !(system.f_flag & ST_NOEXEC);
}

// Whether the file holds exactly these bytes: not every failed write reports an
// error.
static int compare(int file, std::string_view expected) {
  std::unique_ptr<char[]> bytes(new (std::nothrow) char[expected.size() + 1]);
  if (!bytes)
    return ENOMEM;
  ssize_t count = readUpTo(file, bytes.get(), expected.size() + 1);
  if (count < 0)
    return errno;
  return std::string_view(bytes.get(), size_t(count)) == expected ? 0 : EIO;
}

// Leaves the file open, and so locked.
static int writeUnfinished(const FileDescriptor &file,
                           std::string_view contents) {
  SizeSignalBlock block;
  // Shows collectors that we are alive; without it they use the file's age.
  ::flock(file.get(), LOCK_EX | LOCK_NB);
  if (int error = writeAll(file.get(), contents))
    return error;
  if (int error = compare(file.get(), contents))
    return error;
  if (withoutInterruption([&] { return ::fchmod(file.get(), 0400); }) != 0)
    return errno;
  // Some file systems report failed writes only when a descriptor is closed.
  FileDescriptor second(withoutInterruption(
      [&] { return ::fcntl(file.get(), F_DUPFD_CLOEXEC, 0); }));
  return second ? second.close() : errno;
}

static int moveFile(const std::string &from, const std::string &to) {
  for (int left = 3; left; --left) {
    if (withoutInterruption(
            [&] { return ::rename(from.c_str(), to.c_str()); }) == 0)
      return 0;
    if (!isPassing(errno))
      break;
  }
  return errno;
}

// Gives a file without a name that of an unfinished one.
static std::string nameFile(const FileDescriptor &file,
                            const std::string &folder) {
  static std::atomic<unsigned> count = 0;
  std::string number = "/proc/self/fd/" + std::to_string(file.get());
  std::string name = folder + '/' + std::string(unfinishedPrefix) +
                     std::to_string(::getpid()) + '-' +
                     std::to_string(::time(nullptr)) + '-' +
                     std::to_string(++count);
  bool isNamed = withoutInterruption([&] {
                   return ::linkat(AT_FDCWD, number.c_str(), AT_FDCWD,
                                   name.c_str(), AT_SYMLINK_FOLLOW);
                 }) == 0;
  return isNamed ? name : std::string();
}

static int moveOrRemove(const std::string &unfinished,
                        const std::string &path) {
  int error = moveFile(unfinished, path);
  if (error)
    ::unlink(unfinished.c_str());
  return error;
}

int publishFile(const std::string &folder, const std::string &path,
                std::string_view contents) {
  // A file without a name until it is complete and locked: no collector can
  // take it for a leftover.
  FileDescriptor nameless(withoutInterruption([&] {
    return ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  }));
  if (nameless) {
    if (int error = writeUnfinished(nameless, contents))
      return error;
    std::string unfinished = nameFile(nameless, folder);
    if (!unfinished.empty())
      return moveOrRemove(unfinished, path);
  }
  // The file system, as those of a network, or the lack of /proc forbids that.
  std::string unfinished;
  FileDescriptor file(withoutInterruption([&] {
    unfinished = folder + '/' + std::string(unfinishedPrefix) + "XXXXXX";
    return ::mkostemp(unfinished.data(), O_CLOEXEC);
  }));
  if (!file)
    return errno;
  if (int error = writeUnfinished(file, contents)) {
    ::unlink(unfinished.c_str());
    return error;
  }
  return moveOrRemove(unfinished, path);
}

} // namespace nereid::host
