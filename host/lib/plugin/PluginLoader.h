// PluginLoader.h - turns a file that passed preflight, or a table of this
// process, into a Plugin.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_PLUGIN_PLUGIN_LOADER_H
#define NEREID_HOST_PLUGIN_PLUGIN_LOADER_H

#include "plugin/LoadReport.h"
#include "plugin/Note.h"
#include "plugin/Plugin.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace nereid::host {

class Log;

/// What the host offers to plugins, by extension id. Called on any thread.
struct HostExtensions {
  std::function<const void *(std::string_view id)> find; // null if unknown
  /// Identifies this build of an extension that find() knows.
  std::function<std::string(std::string_view id)> identity;
};

/// What a plugin is doing while it is loaded.
enum class LoadStep { Load, Entry, Create, Probe, Shutdown, Exit };

struct LoaderOptions {
  std::string hostName = "nereid";
  HostExtensions extensions;   // may be empty
  bool allowsWritable = false; // accept files that others can write
  bool isProbeIsolated = false;
  bool probesAtOnce = false; // its driver is asked while it is loaded
  uint32_t probeTimeoutMs = 5000;
  std::string probeHelper;                // empty: the one beside libnereid
  std::function<void(LoadStep)> progress; // told before each step; may be empty
};

/// A plugin, or why there is none.
struct LoadResult {
  std::shared_ptr<Plugin> plugin;
  Rejection rejection; // if there is no plugin
};

class PluginLoader {
public:
  /// \p log outlives every plugin that is loaded.
  PluginLoader(LoaderOptions options, const Log *log)
      : options(std::move(options)), log(log) {}

  /// Loads the file at \p resolved, an absolute path without links whose note
  /// is \p note and which may run here. Runs its code.
  LoadResult loadFile(const std::string &resolved,
                      const PluginNote &note) const;

  /// Copies, checks and creates a table of this process.
  LoadResult loadTable(const nereid_plugin_t *table) const;

private:
  void report(LoadStep step) const;
  std::optional<Rejection> callEntry(Plugin &plugin, void *entry,
                                     const nereid_plugin_t **table) const;
  LoadResult start(std::shared_ptr<Plugin> plugin,
                   const nereid_plugin_t *table) const;
  std::optional<Rejection> create(Plugin &plugin) const;

  const LoaderOptions options;
  const Log *const log;
};

} // namespace nereid::host

#endif // NEREID_HOST_PLUGIN_PLUGIN_LOADER_H
