// DirectoryFiles.cpp - the files of a pack that is a directory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/Kernels.h"
#include "pack/PackFiles.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace nereid::ops {

namespace filesystem = std::filesystem;

bool DirectoryFiles::has(const std::string &path) const {
  std::error_code error;
  return filesystem::exists(path, error);
}

// The names in a directory for which `isWanted` holds, sorted.
template <typename Wanted>
static std::vector<std::string> namesIn(const std::string &directory,
                                        Wanted isWanted) {
  std::vector<std::string> names;
  std::error_code error;
  for (filesystem::directory_iterator item(directory, error), end;
       !error && item != end; item.increment(error)) {
    std::string name = item->path().filename();
    if (name[0] != '.' && isWanted(*item, name))
      names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string>
DirectoryFiles::filesIn(const std::string &folder,
                        std::string_view suffix) const {
  return namesIn(folder, [&](const auto &, const std::string &name) {
    return name.ends_with(suffix);
  });
}

std::vector<std::string>
DirectoryFiles::foldersIn(const std::string &folder) const {
  return namesIn(folder, [](const auto &item, const std::string &) {
    std::error_code ignored;
    return item.is_directory(ignored);
  });
}

yaml::NodePtr DirectoryFiles::tree(const std::string &path,
                                   std::vector<Problem> &problems) const {
  Result<std::string> text = readText(path);
  if (!text) {
    problems.push_back({path, 0, 0, text.failure().text});
    return nullptr;
  }
  Result<yaml::NodePtr> root = yaml::parse(*text, path);
  if (root)
    return *root;
  // "PATH:LINE:COLUMN: TEXT" in its parts.
  std::string reason = root.failure().text.substr(path.size() + 1);
  Problem problem{path, 0, 0, reason};
  int end = 0;
  if (std::sscanf(reason.c_str(), "%u:%u: %n", &problem.line, &problem.column,
                  &end) == 2)
    problem.text = reason.substr(static_cast<size_t>(end));
  problems.push_back(std::move(problem));
  return nullptr;
}

Result<std::string> DirectoryFiles::text(const std::string &path) const {
  return readText(path);
}

} // namespace nereid::ops
