// CacheFile.h - reading, writing and publishing whole files.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Interrupted calls are repeated and short ones continued; calls that a
// network file system fails in passing (ESTALE, EBUSY) are repeated a few
// times. Remaining failures are reported as an errno value; 0 is success.

#ifndef NEREID_HOST_CACHE_CACHE_FILE_H
#define NEREID_HOST_CACHE_CACHE_FILE_H

#include "support/File.h"

#include <memory>
#include <string>
#include <string_view>

#include <sys/stat.h>

namespace nereid::host {

/// open() without terminals, links and inheritance; -1 and errno on failure.
FileDescriptor openFile(const std::string &path, int flags, mode_t mode = 0);

/// What readFile() found.
struct FileContents {
  enum class Status { Whole, Absent, Unreadable, Unfit };
  Status status = Status::Absent;
  std::string reason; // if unreadable, or unfit to be an entry
  std::shared_ptr<const char[]> data;
  size_t size = 0;
  struct stat facts = {};

  std::string_view bytes() const { return {data.get(), size}; }
};

/// Reads all of a regular file that is ours and that only we can write. It is
/// read, not mapped: a bad sector is then an error and not a signal, and the
/// checked bytes cannot change.
FileContents readFile(const std::string &path);

/// Whether \p path exists and its file system allows it to be mapped for
/// execution.
bool canBeExecuted(const std::string &path);

/// Makes \p contents the file \p path in one step: whoever opens it sees all
/// of it or what was there before. Goes through a new file in \p folder, which
/// is locked with flock() until it is published, and has no name before it is
/// complete where the file system can do that. Reads back what it wrote before
/// it publishes.
int publishFile(const std::string &folder, const std::string &path,
                std::string_view contents);

/// The names of publishFile's unfinished files start like this.
inline constexpr std::string_view unfinishedPrefix = "tmp.";

} // namespace nereid::host

#endif // NEREID_HOST_CACHE_CACHE_FILE_H
