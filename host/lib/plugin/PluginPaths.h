// PluginPaths.h - where plugins are looked for.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_PLUGIN_PLUGIN_PATHS_H
#define NEREID_HOST_PLUGIN_PLUGIN_PATHS_H

#include "plugin/LoadReport.h"

#include <string>
#include <string_view>
#include <vector>

namespace nereid::host {

/// A directory whose plugin files are to be considered.
struct PluginDir {
  std::string path; // absolute, as given
  std::string name; // of the vendor's checkout that it is part of, else empty
};

/// What a list of directories means, in order; the elements that mean nothing
/// are candidates that were refused.
struct PluginDirs {
  std::vector<PluginDir> dirs;
  std::vector<Candidate> refused;
};

/// The elements of \p list, a value of NEREID_PLUGIN_DIRS, as written: `;`
/// between, empty ones left out, relative ones refused.
PluginDirs splitPluginDirs(std::string_view list);

/// The same, with what is on disk: a vendor's checkout stands for its
/// `backend` folder; what is no directory is refused.
PluginDirs findPluginDirs(std::string_view list);

/// The default directories that exist: the one beside libnereid, which lies in
/// \p libraryDir, then the one it was configured for.
std::vector<PluginDir> defaultPluginDirs(const std::string &libraryDir);

/// The name in the text of a `name.conf`: its first line without blanks, if it
/// is 1 to 63 of [A-Za-z0-9_.-]; else empty.
std::string parseNameConf(std::string_view text);

/// The paths of the plugin files (`*.so`) of \p directory, sorted by name,
/// bytewise. Folders in it are not looked into.
std::vector<std::string> listPluginFiles(const std::string &directory);

} // namespace nereid::host

#endif // NEREID_HOST_PLUGIN_PLUGIN_PATHS_H
