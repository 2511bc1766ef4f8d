// PluginPaths.h - the directories that are searched for plugins.
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
  // Of the vendor's checkout that it is the `backend` folder of, else empty.
  std::string name, checkout;
};

/// The directories of a list, in order; invalid elements are refused
/// candidates.
struct PluginDirs {
  std::vector<PluginDir> dirs;
  std::vector<Candidate> refused;
};

/// The elements of \p list, a value of NEREID_PLUGIN_DIRS, as written,
/// separated by `;`: empty ones are skipped, relative ones refused.
PluginDirs splitPluginDirs(std::string_view list);

/// The same, with what is on disk: a vendor's checkout means its
/// `backend` folder; anything but a directory is refused.
PluginDirs findPluginDirs(std::string_view list);

/// The default directories that exist: the one beside libnereid, which is in
/// \p libraryDir, then the one it was configured for.
std::vector<PluginDir> defaultPluginDirs(const std::string &libraryDir);

/// The name in the text of a `name.conf`: its first line without blanks, if it
/// is 1 to 63 of [A-Za-z0-9_.-]; else empty.
std::string parseNameConf(std::string_view text);

/// The paths of the plugin files (`*.so`) of \p directory, sorted by name,
/// bytewise. Subdirectories are not searched.
std::vector<std::string> listPluginFiles(const std::string &directory);

} // namespace nereid::host

#endif // NEREID_HOST_PLUGIN_PLUGIN_PATHS_H
