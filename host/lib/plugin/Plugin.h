// Plugin.h - one loaded plugin: its description, its tables with every gap
// filled, and its state.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_PLUGIN_PLUGIN_H
#define NEREID_HOST_PLUGIN_PLUGIN_H

#include "nereid/plugin.h"
#include "support/Result.h"

#include <memory>
#include <string>

namespace nereid::host {

/// What a plugin says of itself, copied out of its own memory.
struct PluginInfo {
  std::string id, deviceType, version, description;
  std::string vendorName, deviceName, deviceQueryCommand, dispatchKey;
  std::string buildId;   // of the note, else the linker's
  std::string path;      // resolved; empty for a table in process
  std::string name;      // of the vendor's checkout it lies in; empty if none
  uint32_t abiMinor = 0; // in use: the smaller one of both sides
  uint32_t flags = 0;
};

/// A plugin whose entry and `create` have run. The tables are the host's own
/// copies: a slot that the plugin lacks (because it is older, or left it out)
/// answers NEREID_UNIMPLEMENTED and names itself, so no caller tests for null.
class Plugin {
public:
  PluginInfo info;
  bool hasCompiler = false;
  bool hasDriver = false;
  nereid_compiler_t compiler = {};
  nereid_driver_t driver = {};
  nereid_state_t *state = nullptr;

  // The driver's answer when the plugin was loaded.
  nereid_probe_t probe = {};
  std::string probeReason;

  Plugin();
  Plugin(const Plugin &) = delete;
  Plugin &operator=(const Plugin &) = delete;
  /// Calls the plugin's shutdown; closes the library if the plugin allows it.
  ~Plugin();

  /// The plugin's table for extension \p id, or null. A plugin that throws has
  /// none.
  const void *extension(nereid_string_t id) const noexcept;

  /// Whether the compiler keeps something between its stages. Its `begin` may
  /// fail with NEREID_UNIMPLEMENTED, so the stub's answer does not tell.
  bool hasSession() const {
    return table.compiler && NEREID_HAS_SLOT(table.compiler, begin);
  }

private:
  friend class PluginLoader;
  friend class PluginRegistry;
  nereid_plugin_t table = {}; // the host's copy; the plugin's may be smaller
  bool isCreated = false;     // `create` succeeded, so `shutdown` is due
  void *library = nullptr;    // of dlopen; null for a table in process
  std::unique_ptr<struct HostTable> host; // what the plugin sees of us
};

} // namespace nereid::host

#endif // NEREID_HOST_PLUGIN_PLUGIN_H
