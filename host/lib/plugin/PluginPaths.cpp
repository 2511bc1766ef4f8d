// PluginPaths.cpp - where plugins are looked for.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/PluginPaths.h"

#include "support/File.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace nereid::host {

static constexpr std::string_view suffix = ".so";

static Candidate refuse(std::string_view path, Reason reason,
                        std::string detail) {
  Candidate candidate;
  candidate.reason = reason;
  candidate.path = path;
  candidate.detail = std::move(detail);
  return candidate;
}

PluginDirs splitPluginDirs(std::string_view list) {
  PluginDirs result;
  while (!list.empty()) {
    size_t end = std::min(list.find(';'), list.size());
    std::string_view element = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    if (element.empty())
      continue;
    if (element[0] == '/')
      result.dirs.push_back({std::string(element), {}, {}});
    else
      result.refused.push_back(
          refuse(element, Reason::RelativeDirectory,
                 "the directory is relative, expected an absolute path"));
  }
  return result;
}

static bool isDirectory(const std::string &path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::string parseNameConf(std::string_view text) {
  static constexpr std::string_view blanks = " \t\r";
  std::string_view line = text.substr(0, text.find('\n'));
  size_t start = line.find_first_not_of(blanks);
  if (start == std::string_view::npos)
    return {};
  line = line.substr(start, line.find_last_not_of(blanks) + 1 - start);
  auto isLegal = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
  };
  if (line.size() > 63 || !std::all_of(line.begin(), line.end(), isLegal))
    return {};
  return std::string(line);
}

/// The first bytes of a regular file; empty if there is none.
static std::string readStart(const std::string &path) {
  FileDescriptor file = openForReading(path);
  struct stat status = {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return {};
  char text[256];
  uint64_t size = std::min<uint64_t>(sizeof text, status.st_size);
  return readExactly(file.get(), text, size, 0) ? std::string(text, size)
                                                : std::string();
}

static std::string lastPart(std::string path) {
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  return path.substr(path.rfind('/') + 1);
}

static std::string checkoutName(const std::string &path) {
  for (const char *file : {"/backend/name.conf", "/name.conf"})
    if (std::string name = parseNameConf(readStart(path + file)); !name.empty())
      return name;
  return lastPart(path);
}

PluginDirs findPluginDirs(std::string_view list) {
  PluginDirs found = splitPluginDirs(list);
  std::vector<PluginDir> given = std::move(found.dirs);
  found.dirs.clear();
  for (PluginDir &dir : given) {
    struct stat status = {};
    if (dir.path.find('\0') != std::string::npos) {
      found.refused.push_back(refuse(dir.path, Reason::MissingDirectory,
                                     "the path has a NUL in it"));
    } else if (stat(dir.path.c_str(), &status) != 0 ||
               (S_ISDIR(status.st_mode) &&
                access(dir.path.c_str(), R_OK | X_OK) != 0)) {
      std::string detail = "the directory cannot be read: " + errorText(errno);
      if (dir.path.find(':') != std::string::npos)
        detail += "; directories are separated by ';', not by ':'";
      found.refused.push_back(
          refuse(dir.path, Reason::MissingDirectory, std::move(detail)));
    } else if (!S_ISDIR(status.st_mode)) {
      found.refused.push_back(refuse(dir.path, Reason::NotADirectory,
                                     "it is " + fileKind(status.st_mode) +
                                         ", expected a directory"));
    } else if (std::string backend = dir.path + "/backend";
               isDirectory(backend)) {
      found.dirs.push_back(
          {std::move(backend), checkoutName(dir.path), std::move(dir.path)});
    } else {
      found.dirs.push_back(std::move(dir));
    }
  }
  return found;
}

std::vector<PluginDir> defaultPluginDirs(const std::string &libraryDir) {
  std::vector<PluginDir> dirs;
  if (!libraryDir.empty())
    dirs.push_back({libraryDir + "/" NEREID_PLUGIN_SUBDIR, {}, {}});
  dirs.push_back({NEREID_INSTALLED_PLUGIN_DIR, {}, {}});
  if (resolvePath(dirs.front().path) == resolvePath(dirs.back().path))
    dirs.resize(1);
  std::erase_if(dirs,
                [](const PluginDir &dir) { return !isDirectory(dir.path); });
  return dirs;
}

std::vector<std::string> listPluginFiles(const std::string &directory) {
  std::vector<std::string> names;
  auto close = [](DIR *stream) { closedir(stream); };
  std::unique_ptr<DIR, decltype(close)> stream(opendir(directory.c_str()),
                                               close);
  if (!stream)
    return {};
  while (const dirent *entry = readdir(stream.get())) {
    std::string_view name = entry->d_name;
    if (name[0] != '.' && name.size() > suffix.size() && name.ends_with(suffix))
      names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  for (std::string &name : names)
    name = directory + (directory.ends_with('/') ? "" : "/") + name;
  return names;
}

} // namespace nereid::host
