// OpenedPlugin.h - preflight: what can be known of a plugin file without
// running its code.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_OPENEDPLUGIN_H
#define NEREID_HOST_OPENEDPLUGIN_H

#include "File.h"
#include "Note.h"
#include "PathSafety.h"

#include <sys/types.h>

#include <string>
#include <utility>

namespace nereid {

/// Device and inode: equal for one file under several names.
using FileIdentity = std::pair<dev_t, ino_t>;

/// A file that was found, as far as it was looked at.
struct OpenedPlugin {
  std::string resolved;
  FileIdentity identity = {};
  FileHandle file;
  PluginNote note;
};

/// Resolves and opens \p path; fills what is known of it even if it is refused.
std::optional<Rejection> openPlugin(const std::string &path,
                                    OpenedPlugin &opened);

/// Checks who can write \p opened, unless \p safety is null, then reads its
/// note and checks that it fits this host.
std::optional<Rejection> preflight(OpenedPlugin &opened, PathSafety *safety);

} // namespace nereid

#endif // NEREID_HOST_OPENEDPLUGIN_H
