// PathSafety.h - whether another user could change what a path leads to.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Loading a plugin, or an image out of the cache, runs its code with the rights
// of this process, so nobody may be able to write the file, or to put another
// one in its place by way of a directory above it, but those whose code the
// process runs anyway:
//   - the file and every directory above it belong to root, to the user who
//     runs the process, or to the owner of a directory above libnereid, who
//     could put another libnereid there;
//   - nobody else may write them. A group may if it is root's, or the owner's
//     private group, which by convention has the owner's number;
//   - a directory with the sticky bit, like /tmp, may be above the plugin's
//     own directory although it is world-writable: users cannot move or remove
//     each other's files there. It may not hold plugins itself, because anybody
//     could add one;
//   - directories above libnereid are not checked: whoever can write there can
//     already change the process. So a build in a checkout works there,
//     whoever owns the checkout and whoever uses it.
// The check is made on the resolved path, which is then the one that is loaded.
// Access control lists and mount options are not checked.

#ifndef NEREID_HOST_SUPPORT_PATH_SAFETY_H
#define NEREID_HOST_SUPPORT_PATH_SAFETY_H

#include <sys/types.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace nereid::host {

/// Why a path is not to be trusted.
struct PathDanger {
  enum Kind { Unreadable, ForeignOwner, WritableByOthers } kind;
  std::string text;
};

/// Checks paths, and remembers the directories it has seen: one for each
/// discovery, so that a thousand files cost one walk to the root.
class PathSafety {
public:
  /// \p libraryDir: libnereid's directory; empty if unknown.
  explicit PathSafety(const std::string &libraryDir);

  /// Says why the file at \p resolved, which is absolute and without links, is
  /// not to be trusted.
  std::optional<PathDanger> checkFile(const std::string &resolved);

  /// The same for a directory that is to hold plugins.
  std::optional<PathDanger> checkDirectory(const std::string &resolved);

  /// The same for the directories above \p resolved.
  std::optional<PathDanger> checkParents(const std::string &resolved);

private:
  std::optional<PathDanger> checkOne(const std::string &path, bool isDirectory,
                                     bool isSticky) const;
  std::optional<PathDanger> checkAbove(const std::string &resolved,
                                       bool holdsPlugins);

  std::set<uid_t> trusted; // owners
  std::map<std::pair<std::string, bool>, std::optional<PathDanger>> directories;
};

} // namespace nereid::host

#endif // NEREID_HOST_SUPPORT_PATH_SAFETY_H
