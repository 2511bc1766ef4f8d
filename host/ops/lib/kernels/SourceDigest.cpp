// SourceDigest.cpp - one number for the Python files of a folder.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernels/SourceDigest.h"

#include "cache/Digest.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

namespace nereid::ops {

namespace fs = std::filesystem;

host::Result<std::string> digestOfSources(const fs::path &folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    if (at->path().extension() == ".py")
      files.push_back(at->path());
  if (error)
    return host::Failure{NEREID_IO_ERROR,
                         folder.string() + ": " + error.message()};
  std::ranges::sort(files);
  host::Sha256 digest;
  for (const fs::path &file : files) {
    std::ifstream stream(file, std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    if (!stream)
      return host::Failure{NEREID_IO_ERROR, file.string() + ": cannot be read"};
    // Sizes first: names and texts cannot run into each other.
    std::string name = file.filename().string(), body = text.str();
    digest.update(std::to_string(name.size()) + ' ' +
                  std::to_string(body.size()) + '\n' + name);
    digest.update(body);
  }
  return digest.finish().hex();
}

} // namespace nereid::ops
