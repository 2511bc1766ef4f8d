// PluginInfo.h - a plugin's description of itself, and where it may be called.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_PLUGIN_PLUGIN_INFO_H
#define NEREID_HOST_PLUGIN_PLUGIN_INFO_H

#include "nereid/entry.h"
#include "support/ForkCount.h"

#include <string>

namespace nereid::host {

/// Copied out of the plugin's own memory.
struct PluginInfo {
  std::string id, deviceType, version, description;
  std::string vendorName, deviceName, deviceQueryCommand, dispatchKey;
  std::string buildId;   // of the note, else the linker's
  std::string path;      // resolved; empty for a table in process
  std::string name;      // of the vendor's checkout it is in; empty if none
  uint32_t abiMinor = 0; // in use: the smaller one of both sides
  uint32_t flags = 0;
  uint32_t forks = forkCount(); // when it was loaded

  /// False in a child that was forked since, unless the plugin works there.
  bool isUsableHere() const noexcept {
    return forks == forkCount() || (flags & NEREID_PLUGIN_FORK_SAFE);
  }
};

} // namespace nereid::host

#endif // NEREID_HOST_PLUGIN_PLUGIN_INFO_H
