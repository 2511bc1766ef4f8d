// Preflight.h - preflight: checks of a plugin file that do not run its
// code.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_PLUGIN_PREFLIGHT_H
#define NEREID_HOST_PLUGIN_PREFLIGHT_H

#include "plugin/Note.h"
#include "support/File.h"
#include "support/PathSafety.h"

#include <sys/types.h>

#include <string>
#include <utility>

namespace nereid::host {

/// Device and inode: equal for one file under several names.
using FileIdentity = std::pair<dev_t, ino_t>;

/// A file that was found, as far as it was looked at.
struct OpenedPlugin {
  std::string resolved;
  FileIdentity identity = {};
  FileDescriptor file;
  PluginNote note;
};

/// Resolves and opens \p path; fills in what is known even if it is refused.
std::optional<Rejection> openPlugin(const std::string &path,
                                    OpenedPlugin &opened);

/// What the load report says of a path that is not to be trusted.
Rejection rejectionOf(PathDanger danger);

/// Checks who can write \p opened, unless \p safety is null, then reads its
/// note and checks that it fits this host.
std::optional<Rejection> preflight(OpenedPlugin &opened, PathSafety *safety);

} // namespace nereid::host

#endif // NEREID_HOST_PLUGIN_PREFLIGHT_H
