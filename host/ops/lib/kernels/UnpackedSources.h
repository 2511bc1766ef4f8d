// UnpackedSources.h - the Python files of a pack in an archive, as files: a
// Python that makes a kernel imports them.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_KERNELS_UNPACKED_SOURCES_H
#define NEREID_OPS_KERNELS_UNPACKED_SOURCES_H

#include "support/Result.h"

#include <filesystem>
#include <map>
#include <mutex>
#include <string>

namespace nereid::ops {

/// Folders for this user alone, which end with the object. Any thread.
class UnpackedSources {
public:
  UnpackedSources() = default;
  ~UnpackedSources();
  UnpackedSources(const UnpackedSources &) = delete;
  UnpackedSources &operator=(const UnpackedSources &) = delete;

  /// A folder with \p files, name -> text; \p key names the same files each
  /// time.
  host::Result<std::filesystem::path>
  folderOf(const std::string &key,
           const std::map<std::string, std::string> &files);

private:
  std::mutex mutex;
  std::map<std::string, std::filesystem::path> folders;
};

} // namespace nereid::ops

#endif // NEREID_OPS_KERNELS_UNPACKED_SOURCES_H
