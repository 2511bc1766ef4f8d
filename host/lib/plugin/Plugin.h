// Plugin.h - one loaded plugin: its description, its tables with every gap
// filled, and its state.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_PLUGIN_PLUGIN_H
#define NEREID_HOST_PLUGIN_PLUGIN_H

#include "abi/SlotTable.h"
#include "nereid/plugin.h"
#include "plugin/ExtensionTables.h"
#include "plugin/PluginInfo.h"
#include "support/Result.h"

#include <memory>
#include <mutex>
#include <string>

namespace nereid::host {

class Log;

/// A plugin whose entry and `create` have run. The tables are the host's own
/// copies, in which every slot can be called.
class Plugin {
public:
  /// A unique number, never reused in this process.
  const uint64_t serial;
  PluginInfo info;
  bool hasCompiler = false;
  bool hasDriver = false;
  SlotTable<nereid_compiler_t> compiler;
  SlotTable<nereid_driver_t> driver;
  ExtensionTables extensions;
  nereid_state_t *state = nullptr;
  /// Host extensions that it requested in `create`, with their identities: part
  /// of the cache key of what it compiles.
  std::string usedExtensions;

  /// What the driver says about this machine.
  struct Probe {
    nereid_probe_t result = {}; // without a score and devices if it failed
    std::string reason;
  };
  /// Asks the driver, the first time: a program that names its target does not
  /// wait for the drivers of others. [any-thread]
  const Probe &probe() const;
  /// Used instead of asking.
  void assume(Probe probe);

  Plugin();
  Plugin(const Plugin &) = delete;
  Plugin &operator=(const Plugin &) = delete;
  /// Calls the plugin's shutdown; closes the library if the plugin allows it.
  ~Plugin();

  /// The plugin's table for extension \p id, or null. A plugin that throws has
  /// none.
  const void *extension(nereid_string_t id) const noexcept;

private:
  friend class PluginLoader;
  friend class PluginRegistry;
  nereid_plugin_t table = {}; // the host's copy; the plugin's may be smaller
  bool isCreated = false;     // `create` succeeded, so `shutdown` is due
  void *library = nullptr;    // of dlopen; null for a table in process
  const Log *log = nullptr;   // outlives the plugin
  mutable std::once_flag probing;
  mutable Probe probed;
  std::unique_ptr<struct HostTable> host; // the host as the plugin sees it
};

} // namespace nereid::host

#endif // NEREID_HOST_PLUGIN_PLUGIN_H
