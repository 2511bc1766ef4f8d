// UnpackedSources.cpp - writes the files into temporary folders.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernels/UnpackedSources.h"

#include "support/File.h"

#include <stdlib.h>

#include <cerrno>
#include <fstream>

namespace nereid::ops {

namespace fs = std::filesystem;
using host::Failure;
using host::Result;

UnpackedSources::~UnpackedSources() {
  std::error_code ignored;
  for (const auto &[key, folder] : folders)
    fs::remove_all(folder, ignored);
}

Result<fs::path>
UnpackedSources::folderOf(const std::string &key,
                          const std::map<std::string, std::string> &files) {
  std::lock_guard lock(mutex);
  if (auto known = folders.find(key); known != folders.end())
    return known->second;
  std::error_code error;
  fs::path root = fs::temp_directory_path(error);
  std::string name = (error ? fs::path("/tmp") : root) / "nereid-pack-XXXXXX";
  if (!mkdtemp(name.data()))
    return Failure{NEREID_IO_ERROR, name + ": " + host::errorText(errno)};
  folders[key] = name;
  for (const auto &[file, text] : files) {
    std::ofstream stream(fs::path(name) / file, std::ios::binary);
    stream << text << std::flush;
    if (!stream)
      return Failure{NEREID_IO_ERROR,
                     name + "/" + file + ": cannot be written"};
  }
  return fs::path(name);
}

} // namespace nereid::ops
