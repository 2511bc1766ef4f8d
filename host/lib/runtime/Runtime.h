// Runtime.h - the state of one host runtime: settings, log, trace, cache,
// plugins.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_RUNTIME_RUNTIME_H
#define NEREID_HOST_RUNTIME_RUNTIME_H

#include "capi/Handles.h"
#include "compile/Compile.h"
#include "runtime/Log.h"
#include "runtime/Settings.h"
#include "runtime/Trace.h"

#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

namespace nereid::host {

class Cache;
class CompileWorkers;
class PluginRegistry;

/// Every function except the destructor may be called on any thread.
class Runtime {
public:
  /// Reads the settings and, by default, discovers plugins.
  static Result<std::unique_ptr<nereid_runtime_t>>
  create(const nereid_runtime_options_t *options);
  explicit Runtime(Settings settings);
  ~Runtime();
  Runtime(const Runtime &) = delete;
  Runtime &operator=(const Runtime &) = delete;

  const Settings &settings() const { return config; }
  const Log &log() const { return messages; }
  Trace *trace() const { return tracing.get(); }
  Cache *cache() const { return compiledKernels.get(); }
  /// As long-lived as the runtime.
  const std::string &cacheDirectory() const { return cacheDir; }
  /// The same; empty if there is none.
  const std::string &remoteCacheName() const { return cacheRemote; }
  PluginRegistry &plugins() const { return *registry; }
  CompileContext compileContext() const;

  /// The handle of a loaded plugin; created on first use.
  nereid_backend_t *backend(const std::shared_ptr<Plugin> &plugin) const;
  /// Ends a plugin that nothing uses any more, and its handle.
  Outcome unregister(nereid_backend_t *backend);

private:
  void start();
  void openCache();

  const Settings config;
  const Log messages;
  std::shared_ptr<Trace> tracing;
  std::string cacheDir, cacheRemote;
  std::unique_ptr<Cache> compiledKernels;
  mutable CompileHistory history;
  std::unique_ptr<PluginRegistry> registry;
  std::unique_ptr<CompileWorkers> workers;

  mutable std::shared_mutex backendsMutex;
  mutable std::vector<std::unique_ptr<nereid_backend_t>> backends;
};

/// Returns \p json or \p text to the caller of a C function as a buffer.
Outcome giveJson(const Json &json, nereid_buffer_t **out);
Outcome giveText(std::string text, nereid_buffer_t **out);

} // namespace nereid::host

struct nereid_runtime_t final : nereid::host::Runtime {
  using Runtime::Runtime;
};

#endif // NEREID_HOST_RUNTIME_RUNTIME_H
