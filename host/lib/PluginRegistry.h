// PluginRegistry.h - the plugins of a runtime: found, loaded, registered,
// chosen and reported.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_PLUGINREGISTRY_H
#define NEREID_HOST_PLUGINREGISTRY_H

#include "Choice.h"
#include "LoadReport.h"
#include "PluginLoader.h"

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace nereid {

class Trace;

struct RegistryOptions {
  LoaderOptions loader;
  std::string pluginDirs;   // as NEREID_PLUGIN_DIRS
  std::string allow, deny;  // globs of ids, `;` between; they bind discovery
  std::string target;       // as NEREID_TARGET
  std::string libraryDir;   // where libnereid lies; empty: found
  bool usesDefaultDirs = true;
};

/// Every function may be called on any thread. Loads run one at a time; what
/// reads is not held up by them.
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

  /// Considers every plugin file of the directories. What is refused is in the
  /// report and in the log, and hides nothing else.
  void discover();

  /// Loads the plugin at \p path; the globs do not bind it. A file that is
  /// loaded already gives its plugin.
  Result<std::shared_ptr<Plugin>> load(std::string_view path);

  /// Registers a table of this process, which lives until it is unregistered.
  Result<std::shared_ptr<Plugin>> registerTable(const nereid_plugin_t *table);

  /// Removes \p plugin from the backends. It is shut down when its last holder
  /// lets go.
  Outcome unregister(const Plugin &plugin);

  /// In order of directories.
  PluginList backends() const;
  /// By id, else device type, else name of a checkout. The failure names the
  /// nearest, or says why a plugin of that id was refused.
  Result<std::shared_ptr<Plugin>> backend(std::string_view name) const;

  /// The report. A candidate lives as long as the registry.
  size_t candidateCount() const;
  const Candidate *candidate(size_t index) const;
  std::string report() const;

  /// An empty \p name leaves it to NEREID_TARGET and the rules of Choice.h.
  Result<Choice> choose(std::string_view name) const;
  std::string explain(std::string_view name) const;

private:
  struct Source;
  void considerFile(const Source &source);
  Result<std::shared_ptr<Plugin>> loadFile(const std::string &path,
                                           Candidate &candidate,
                                           bool isDiscovered,
                                           Rejection &rejection);
  std::shared_ptr<Plugin> add(std::shared_ptr<Plugin> plugin);
  const Candidate &record(Candidate candidate);

  const RegistryOptions options;
  const Log *const log;
  Trace *const trace;
  PluginLoader loader;

  std::mutex loading;              // held by whoever changes what is below
  mutable std::shared_mutex mutex; // guards what is below
  PluginList plugins;
  std::vector<std::unique_ptr<const Candidate>> candidates;
  std::vector<std::unique_ptr<const Candidate>> retired;
};

} // namespace nereid

#endif // NEREID_HOST_PLUGINREGISTRY_H
