// File.h - file helpers of the loader.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_SUPPORT_FILE_H
#define NEREID_HOST_SUPPORT_FILE_H

#include <signal.h>
#include <sys/types.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>

namespace nereid::host {

/// An open file, closed at the end. errno survives the closing.
class FileHandle {
public:
  FileHandle() = default;
  explicit FileHandle(int file) : file(file) {}
  FileHandle(FileHandle &&other) noexcept
      : file(std::exchange(other.file, -1)) {}
  FileHandle &operator=(FileHandle &&other) noexcept {
    std::swap(file, other.file);
    return *this;
  }
  ~FileHandle() { close(); }

  explicit operator bool() const { return file >= 0; }
  int get() const { return file; }
  void close();

private:
  int file = -1;
};

/// Opens \p path for reading without blocking on a FIFO; an
/// empty handle and errno if that fails.
FileHandle openForReading(const std::string &path);

/// Reads \p count bytes at \p offset; false if they are not all there.
bool readExactly(int file, char *out, uint64_t count, uint64_t offset);

/// The text of errno value \p error, as messages spell it: "no such file or
/// directory".
std::string errorText(int error);

/// "a directory", "a FIFO", ...
std::string fileKind(mode_t mode);

/// While it lives, a write of this thread beyond the limit on the size of files
/// fails with EFBIG. Otherwise SIGXFSZ ends the process.
class SizeSignalBlock {
public:
  SizeSignalBlock();
  ~SizeSignalBlock();
  SizeSignalBlock(const SizeSignalBlock &) = delete;
  SizeSignalBlock &operator=(const SizeSignalBlock &) = delete;

private:
  sigset_t previous;
};

/// \p path without links and dots; empty and errno if that fails.
std::string resolvePath(const std::string &path);

/// The folder of the library or program with this code; empty if
/// unknown.
std::string ownDirectory();

/// Repeats \p call while a signal interrupts it. Bounded, because a broken file
/// system must not hang us.
template <typename Call> auto withoutInterruption(Call call) {
  auto result = call();
  for (int left = 100; result == -1 && errno == EINTR && left; --left)
    result = call();
  return result;
}

} // namespace nereid::host

#endif // NEREID_HOST_SUPPORT_FILE_H
