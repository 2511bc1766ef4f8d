// CacheDirectory.h - the layout of the cache directory, and who may write it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_CACHE_CACHE_DIRECTORY_H
#define NEREID_HOST_CACHE_CACHE_DIRECTORY_H

#include "cache/Digest.h"
#include "support/Result.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace nereid::host {

/// A file of the cache, as listed in its directory.
struct CacheFileInfo {
  std::string path;
  Digest key;                // of an entry
  bool isUnfinished = false; // being written, or left by a process that died
  uint64_t size = 0;
  int64_t lastUse = 0; // nanoseconds since the epoch
};

/// The layout <root>/<2 digits>/<64 digits>.entry. Any thread.
class CacheDirectory {
public:
  /// \p root is absolute, or empty if there is none.
  explicit CacheDirectory(std::string root) : top(std::move(root)) {}

  const std::string &root() const { return top; }
  std::string folderOf(const Digest &key) const;
  std::string pathOf(const Digest &key) const;

  /// Whether entries may be loaded from here: the directory is ours, and
  /// neither it nor anything above it lets others replace its contents. It
  /// need not exist yet.
  Outcome check();

  /// Makes the folder of \p key, and what is missing above it, with mode 0700,
  /// and checks again: others may have replaced what was removed. It is not an
  /// error if it vanishes again meanwhile.
  Outcome create(const Digest &key);

  /// Calls \p visit for every entry and every unfinished file; files with
  /// other names are not ours and left alone. Folders that cannot be read are
  /// left out, and the first of them is the failure.
  Outcome
  forEachFile(const std::function<void(const CacheFileInfo &)> &visit) const;

private:
  std::string top;
  std::atomic<bool> isTrusted = false;
};

} // namespace nereid::host

#endif // NEREID_HOST_CACHE_CACHE_DIRECTORY_H
