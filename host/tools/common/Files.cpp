// Files.cpp - files as a whole, through a temporary name and one rename.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Files.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nereid::tools {

namespace {
/// A descriptor, closed with its owner.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }
};
} // namespace

static char unfinished[4096];
static std::atomic<bool> hasUnfinished;

void removeUnfinishedFile() {
  if (hasUnfinished.exchange(false))
    unlink(unfinished);
}

static Expected<std::string> readAll(int file, const std::string &path,
                                     uint64_t expectedSize) {
  std::string bytes;
  try {
    bytes.resize(expectedSize + 1); // one more, to see that it has not grown
    uint64_t size = 0;
    for (;;) {
      ssize_t got = read(file, bytes.data() + size, bytes.size() - size);
      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        return systemError(path, errno);
      if (got == 0)
        break;
      size += static_cast<uint64_t>(got);
      if (size == bytes.size())
        bytes.resize(bytes.size() * 2);
    }
    bytes.resize(size);
  } catch (const std::exception &) {
    return failure(NEREID_OUT_OF_RESOURCES,
                   path + ": no memory for a file of " +
                       std::to_string(expectedSize) + " bytes");
  }
  return bytes;
}

Expected<std::string> readFile(const std::string &path) {
  // A pipe without a writer would block the open.
  Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat status;
  if (file.number < 0 || fstat(file.number, &status) != 0)
    return systemError(path, errno);
  if (S_ISDIR(status.st_mode))
    return systemError(path, EISDIR);
  if (!S_ISREG(status.st_mode))
    return failure(NEREID_IO_ERROR, path + ": not a regular file");
  return readAll(file.number, path, static_cast<uint64_t>(status.st_size));
}

Expected<std::string> readInput(const std::string &name) {
  return readAll(STDIN_FILENO, name, 0);
}

int writeAll(int file, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    ssize_t put = write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return errno;
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return 0;
}

static Expected<void>
writeInPlace(const std::string &path,
             std::initializer_list<std::string_view> pieces) {
  Descriptor file{open(path.c_str(), O_WRONLY | O_CLOEXEC)};
  if (file.number < 0)
    return systemError(path, errno);
  for (std::string_view piece : pieces)
    if (int error = writeAll(file.number, piece))
      return systemError(path, error);
  return {};
}

// Writes `pieces` to the new file `temporary` and gives it the name `path`.
static Expected<void> publish(const std::string &path,
                              const std::string &temporary, int file,
                              std::initializer_list<std::string_view> pieces) {
  mode_t mask = umask(0);
  umask(mask);
  if (fchmod(file, 0666 & ~mask) != 0)
    return systemError(path, errno);
  for (std::string_view piece : pieces)
    if (int error = writeAll(file, piece))
      return systemError(path, error);
  // A file that has its name also has its contents, whatever happens to the
  // machine; and some file systems report a full disk only here.
  if (fsync(file) != 0)
    return systemError(path, errno);
  if (rename(temporary.c_str(), path.c_str()) != 0)
    return systemError(path, errno);
  return {};
}

Expected<void> writeFile(const std::string &path,
                         std::initializer_list<std::string_view> pieces) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    return writeInPlace(path, pieces);
  std::string temporary = path + ".XXXXXX";
  if (temporary.size() >= sizeof unfinished)
    return systemError(path, ENAMETOOLONG);
  Descriptor file{mkostemp(temporary.data(), O_CLOEXEC)};
  if (file.number < 0)
    return systemError(path, errno);
  std::memcpy(unfinished, temporary.c_str(), temporary.size() + 1);
  hasUnfinished = true;
  Expected<void> published = publish(path, temporary, file.number, pieces);
  if (published)
    hasUnfinished = false;
  else
    removeUnfinishedFile();
  return published;
}

Expected<void> checkWritable(const std::string &path) {
  struct stat status;
  bool exists = stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    return systemError(path, EISDIR);
  bool isReplaced = !exists || S_ISREG(status.st_mode);
  size_t slash = path.rfind('/');
  std::string directory = path.substr(0, slash + 1) + ".";
  if (isReplaced ? access(directory.c_str(), W_OK | X_OK) != 0
                 : access(path.c_str(), W_OK) != 0)
    return systemError(path, errno);
  return {};
}

} // namespace nereid::tools
