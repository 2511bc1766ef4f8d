// PluginRegistry.h - the plugins of a runtime: found, loaded, registered,
// chosen and reported.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_PLUGIN_PLUGIN_REGISTRY_H
#define NEREID_HOST_PLUGIN_PLUGIN_REGISTRY_H

#include "plugin/Choice.h"
#include "plugin/LoadReport.h"
#include "plugin/PluginLoader.h"
#include "plugin/PluginPaths.h"
#include "plugin/Preflight.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::host {

class Trace;

struct RegistryOptions {
  LoaderOptions loader;
  std::string pluginDirs;  // as NEREID_PLUGIN_DIRS
  std::string allow, deny; // `;`-separated globs of ids; for discovery only
  std::string target;      // as NEREID_TARGET
  std::string libraryDir;  // libnereid's directory; empty: detected
  bool usesDefaultDirs = true;
};

/// Every function may be called on any thread. Loads run one at a time and
/// do not block readers.
class PluginRegistry {
public:
  /// \p log and \p trace (which may be null) outlive the registry.
  PluginRegistry(RegistryOptions options, const Log *log,
                 Trace *trace = nullptr);
  /// Drops the plugins in reverse order of loading; one that nothing else
  /// holds is shut down.
  ~PluginRegistry();
  PluginRegistry(const PluginRegistry &) = delete;
  PluginRegistry &operator=(const PluginRegistry &) = delete;

  /// Considers every plugin file of the directories. Refused files are
  /// in the report and in the log.
  void discover();

  /// Loads the plugin at \p path; the globs do not apply. For a file that is
  /// loaded already, returns its plugin.
  Result<std::shared_ptr<Plugin>> load(std::string_view path);

  /// Registers a table of this process, which lives until it is unregistered.
  Result<std::shared_ptr<Plugin>> registerTable(const nereid_plugin_t *table);

  /// Removes \p plugin from the backends. It is shut down when its last holder
  /// releases it.
  Outcome unregister(const Plugin &plugin);

  /// In order of directories.
  PluginList backends() const;
  /// By id, else device type, else name of a checkout. The failure suggests
  /// similar names, or says why a plugin of that id was refused.
  Result<std::shared_ptr<Plugin>> backend(std::string_view name) const;

  /// The report. A candidate lives as long as the registry.
  size_t candidateCount() const;
  const Candidate *candidate(size_t index) const;
  std::string report() const;

  /// An empty \p name leaves it to NEREID_TARGET and the rules of Choice.h.
  Result<Choice> choose(std::string_view name) const;
  std::string explain(std::string_view name) const;

private:
  struct Discovery;
  void warnIfPrivileged() const;
  void considerDirectory(const PluginDir &directory, Discovery &discovery);
  Candidate considerFile(const std::string &path, const std::string &name,
                         Discovery &discovery);
  void reportOutside(const PluginDir &directory, const Discovery &discovery);
  std::shared_ptr<Plugin> loadOpened(const OpenedPlugin &opened,
                                     bool isBoundByGlobs, Candidate &candidate);
  std::optional<Rejection> checkChosen(const std::string &id,
                                       bool isBoundByGlobs) const;
  void add(const std::shared_ptr<Plugin> &plugin);
  const Candidate &record(Candidate candidate);
  void logDiscovered(const Candidate &candidate) const;
  std::string refusalOf(std::string_view id) const;
  RefusalOf refusals() const {
    return [this](std::string_view id) { return refusalOf(id); };
  }

  const RegistryOptions options;
  const std::string libraryDir;
  const Log *const log;
  Trace *const trace;
  PluginLoader loader;

  std::mutex loading; // held while changing the members below
  std::map<FileIdentity, std::weak_ptr<Plugin>> loadedFiles;

  mutable std::shared_mutex mutex; // guards the members below
  PluginList plugins;
  std::vector<std::string> searched;
  std::vector<std::unique_ptr<const Candidate>> candidates;
  // Replaced lines; callers may still hold them.
  std::vector<std::unique_ptr<const Candidate>> retired;

  mutable std::atomic<bool> hasToldOfTies = false;
};

} // namespace nereid::host

#endif // NEREID_HOST_PLUGIN_PLUGIN_REGISTRY_H
