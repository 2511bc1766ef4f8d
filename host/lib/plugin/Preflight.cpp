// Preflight.cpp - preflight of a plugin file.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/Preflight.h"

#include <sys/stat.h>

#include <cerrno>

namespace nereid::host {

static Rejection unresolved(const std::string &path, int error) {
  struct stat status = {};
  bool isLink = lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
  std::string why = errorText(error);
  if (isLink && (error == ENOENT || error == ELOOP || error == ENOTDIR))
    return {Reason::DanglingLink, "the link leads nowhere: " + why, {}};
  if (error == ENOENT || error == ENOTDIR)
    return {Reason::MissingFile, "the file does not exist", {}};
  return {Reason::Unreadable, "the path cannot be resolved: " + why, {}};
}

std::optional<Rejection> openPlugin(const std::string &path,
                                    OpenedPlugin &opened) {
  opened.resolved = resolvePath(path);
  if (opened.resolved.empty())
    return unresolved(path, errno);
  struct stat status = {};
  // Before it is opened: opening a device can have effects.
  if (stat(opened.resolved.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    return Rejection{Reason::NotAFile,
                     "it is " + fileKind(status.st_mode) +
                         ", expected a regular file",
                     {}};
  opened.file = openForReading(opened.resolved);
  if (!opened.file || fstat(opened.file.get(), &status) != 0)
    return Rejection{
        Reason::Unreadable, "it cannot be opened: " + errorText(errno), {}};
  opened.identity = {status.st_dev, status.st_ino};
  return std::nullopt;
}

Rejection rejectionOf(PathDanger danger) {
  Reason reason = danger.kind == PathDanger::ForeignOwner ? Reason::ForeignOwner
                  : danger.kind == PathDanger::WritableByOthers
                      ? Reason::WritableByOthers
                      : Reason::Unreadable;
  return {reason, std::move(danger.text), {}};
}

std::optional<Rejection> preflight(OpenedPlugin &opened, PathSafety *safety) {
  if (safety)
    if (std::optional<PathDanger> bad = safety->checkFile(opened.resolved))
      return rejectionOf(std::move(*bad));
  NoteResult note = readNote(opened.file.get());
  if (Rejection *bad = std::get_if<Rejection>(&note))
    return std::move(*bad);
  opened.note = std::move(std::get<PluginNote>(note));
  std::variant<std::monostate, Rejection> fits = checkNote(opened.note);
  if (Rejection *bad = std::get_if<Rejection>(&fits))
    return std::move(*bad);
  return std::nullopt;
}

} // namespace nereid::host
