// PathSafety.cpp - whether another user could change what a path leads to.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "support/PathSafety.h"

#include "support/File.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace nereid::host {

static std::string octal(mode_t mode) {
  char text[16];
  std::snprintf(text, sizeof text, "%04o", mode & 07777u);
  return text;
}

/// The directory of \p path; empty above the root.
static std::string parentOf(const std::string &path) {
  if (path == "/")
    return {};
  size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

PathSafety::PathSafety(const std::string &libraryDir) : trusted{0, geteuid()} {
  for (std::string above = resolvePath(libraryDir); !above.empty();
       above = parentOf(above)) {
    struct stat status = {};
    if (withoutInterruption([&] { return stat(above.c_str(), &status); }) == 0)
      trusted.insert(status.st_uid);
    directories.emplace(std::pair(above, false), std::nullopt);
  }
}

/// For what a trusted user owns.
static bool othersMayWrite(const struct stat &status) {
  if (status.st_mode & S_IWOTH)
    return true;
  bool isPrivateGroup = status.st_gid == 0 || status.st_gid == status.st_uid;
  return (status.st_mode & S_IWGRP) && !isPrivateGroup;
}

/// "user 0 or 1000"
static std::string usersText(const std::set<uid_t> &users) {
  std::string text;
  for (uid_t user : users)
    text += (text.empty() ? "user " : " or ") + std::to_string(user);
  return text;
}

/// \p isSticky: the sticky bit makes up for the permission to write.
std::optional<PathDanger> PathSafety::checkOne(const std::string &path,
                                               bool isDirectory,
                                               bool isSticky) const {
  std::string name =
      (isDirectory ? "the directory '" : "the file '") + path + "'";
  struct stat status = {};
  if (withoutInterruption([&] { return stat(path.c_str(), &status); }) != 0)
    return PathDanger{PathDanger::Unreadable,
                      name + " cannot be looked at: " + errorText(errno)};
  if (!trusted.count(status.st_uid))
    return PathDanger{PathDanger::ForeignOwner,
                      name + " belongs to user " +
                          std::to_string(status.st_uid) + ", expected " +
                          usersText(trusted)};
  if (othersMayWrite(status) && !(isSticky && (status.st_mode & S_ISVTX)))
    return PathDanger{PathDanger::WritableByOthers,
                      name + " has mode " + octal(status.st_mode) +
                          " and group " + std::to_string(status.st_gid) +
                          ", so that others can write it"};
  return std::nullopt;
}

std::optional<PathDanger> PathSafety::checkAbove(const std::string &resolved,
                                                 bool holdsPlugins) {
  if (resolved.empty())
    return std::nullopt;
  auto known = directories.find({resolved, holdsPlugins});
  if (known != directories.end())
    return known->second;
  std::optional<PathDanger> bad = checkOne(resolved, true, !holdsPlugins);
  if (!bad)
    bad = checkAbove(parentOf(resolved), false);
  directories.emplace(std::pair(resolved, holdsPlugins), bad);
  return bad;
}

std::optional<PathDanger> PathSafety::checkFile(const std::string &resolved) {
  if (std::optional<PathDanger> bad = checkOne(resolved, false, false))
    return bad;
  return checkAbove(parentOf(resolved), true);
}

std::optional<PathDanger>
PathSafety::checkParents(const std::string &resolved) {
  return checkAbove(parentOf(resolved), false);
}

std::optional<PathDanger>
PathSafety::checkDirectory(const std::string &resolved) {
  return checkAbove(resolved, true);
}

} // namespace nereid::host
