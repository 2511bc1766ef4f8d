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
#include <string_view>
#include <utility>

namespace nereid::host {

/// Owns a file descriptor. errno survives the destructor.
class FileDescriptor {
public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number(number) {}
  FileDescriptor(FileDescriptor &&other) noexcept
      : number(std::exchange(other.number, -1)) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~FileDescriptor();

  explicit operator bool() const { return number >= 0; }
  int get() const { return number; }
  /// Releases ownership.
  int release() { return std::exchange(number, -1); }
  /// 0 or an errno value: some file systems report failed writes only here.
  int close();

private:
  int number = -1;
};

/// Opens \p path for reading without blocking on a FIFO; an
/// empty descriptor and errno if that fails.
FileDescriptor openForReading(const std::string &path);

/// Reads up to \p size bytes at \p offset; fewer only at the end of the file.
/// -1 and errno on failure.
ssize_t readUpTo(int file, char *out, size_t size, off_t offset = 0);

/// Reads \p count bytes at \p offset; false if they are not all there.
bool readExactly(int file, char *out, uint64_t count, uint64_t offset);

/// Writes all of \p bytes. 0 or an errno value.
int writeAll(int file, std::string_view bytes) noexcept;

/// Writes all of \p bytes at \p offset. 0 or an errno value.
int writeAllAt(int file, std::string_view bytes, off_t offset) noexcept;

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
