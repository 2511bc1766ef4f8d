// Runtime.cpp - starts a runtime.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Runtime.h"

#include "cache/Cache.h"
#include "compile/TtirService.h"
#include "plugin/PluginRegistry.h"
#include "process/CompileWorkers.h"
#include "support/File.h"
#include "support/Json.h"

#include <algorithm>

namespace nereid::host {

static Log makeLog(const Settings &settings) {
  if (settings.log)
    return Log(settings.log, settings.user, settings.logLevel);
  return Log(settings.logLevel);
}

Runtime::Runtime(Settings settings)
    : config(std::move(settings)), messages(makeLog(config)) {}

Result<std::unique_ptr<nereid_runtime_t>>
Runtime::create(const nereid_runtime_options_t *options) {
  Result<Settings> settings = Settings::read(options);
  if (!settings)
    return settings.failure();
  auto runtime = std::make_unique<nereid_runtime_t>(std::move(*settings));
  runtime->start();
  return runtime;
}

void Runtime::start() {
  if (!config.traceFile.empty()) {
    Result<std::shared_ptr<Trace>> opened =
        Trace::open(config.traceFile, messages);
    if (opened)
      tracing = std::move(*opened);
    else
      messages.warning(opened.failure().text);
  }
  if (config.hasCache)
    openCache();

  if (config.isCompileIsolated)
    workers = std::make_unique<CompileWorkers>(
        compileWorkerIn(ownDirectory()),
        std::chrono::milliseconds(config.compileTimeoutMs),
        config.allowsWritable, &messages);

  RegistryOptions wanted;
  if (!config.hostName.empty())
    wanted.loader.hostName = config.hostName;
  wanted.loader.extensions = hostExtensions();
  wanted.loader.allowsWritable = config.allowsWritable;
  wanted.loader.isProbeIsolated = config.isProbeIsolated;
  wanted.loader.probeTimeoutMs = config.probeTimeoutMs;
  wanted.pluginDirs = config.pluginDirs;
  wanted.allow = config.allow;
  wanted.deny = config.deny;
  wanted.target = config.target;
  registry = std::make_unique<PluginRegistry>(std::move(wanted), &messages,
                                              tracing.get());
  if (!config.discovers)
    return;
  TraceSpan span(tracing.get(), "discover", "discover plugins");
  registry->discover();
}

// The program that is installed with libnereid; empty if it is unknown where
// that is.
static std::string remoteCacheHelper() {
  std::string folder = ownDirectory();
  return folder.empty() ? "" : folder + "/" NEREID_CACHE_REDIS_PATH;
}

void Runtime::openCache() {
  CacheOptions wanted;
  wanted.limit = config.cacheLimit;
  wanted.directory = config.cacheDir;
  wanted.warn = [this](const std::string &text) { messages.warning(text); };
  if (wanted.directory.empty()) {
    Result<std::string> found = defaultCacheDirectory();
    if (!found) {
      messages.warning("no cache of compiled kernels: " + found.failure().text);
      return;
    }
    wanted.directory = std::move(*found);
  }
  cacheDir = wanted.directory;
  if (config.cacheRemote) {
    RemoteOptions remote;
    remote.address = *config.cacheRemote;
    remote.helper = remoteCacheHelper();
    remote.warn = wanted.warn;
    wanted.remote = std::make_shared<RemoteCache>(std::move(remote));
    cacheRemote = wanted.remote->name();
  }
  compiledKernels = std::make_unique<Cache>(std::move(wanted));
}

// The handles go first, so that the registry shuts the plugins down in the
// reverse order of loading.
Runtime::~Runtime() {
  backends.clear();
  workers.reset();
  registry.reset();
  if (tracing)
    tracing->leave(messages);
}

CompileContext Runtime::compileContext() const {
  return {config,  &messages,    tracing.get(), compiledKernels.get(),
          history, workers.get()};
}

nereid_backend_t *
Runtime::backend(const std::shared_ptr<Plugin> &plugin) const {
  auto isSame = [&](const std::unique_ptr<nereid_backend_t> &handle) {
    return handle->plugin == plugin;
  };
  {
    std::shared_lock lock(backendsMutex);
    auto found = std::find_if(backends.begin(), backends.end(), isSame);
    if (found != backends.end())
      return found->get();
  }
  std::unique_lock lock(backendsMutex);
  auto found = std::find_if(backends.begin(), backends.end(), isSame);
  if (found != backends.end())
    return found->get();
  backends.push_back(std::make_unique<nereid_backend_t>(this, plugin));
  return backends.back().get();
}

Outcome Runtime::unregister(nereid_backend_t *backend) {
  auto isIt = [&](const auto &handle) { return handle.get() == backend; };
  std::shared_ptr<Plugin> plugin;
  {
    std::unique_lock lock(backendsMutex);
    if (std::none_of(backends.begin(), backends.end(), isIt))
      return Failure{NEREID_NOT_FOUND,
                     "the backend to unregister is not of this runtime"};
    plugin = backend->plugin;
    if (uint64_t count = backend->functions)
      return Failure{NEREID_INVALID_ARGUMENT,
                     "plugin '" + plugin->info.id + "' is still used by " +
                         std::to_string(count) + " loaded functions"};
  }
  // Without the lock: this waits while another thread loads a plugin, and the
  // plugin's shutdown runs when the handle and `plugin` let go.
  if (Outcome removed = registry->unregister(*plugin); !removed)
    return removed;
  std::unique_ptr<nereid_backend_t> handle;
  std::unique_lock lock(backendsMutex);
  auto found = std::find_if(backends.begin(), backends.end(), isIt);
  if (found != backends.end()) {
    handle = std::move(*found);
    backends.erase(found);
  }
  lock.unlock();
  return {};
}

Outcome giveJson(const Json &json, nereid_buffer_t **out) {
  return giveText(dumpJson(json), out);
}

Outcome giveText(std::string text, nereid_buffer_t **out) {
  if (!out)
    return Failure{NEREID_INVALID_ARGUMENT, "the out parameter is null"};
  *out = new nereid_buffer_t{std::move(text)};
  return {};
}

} // namespace nereid::host
