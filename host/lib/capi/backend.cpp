// backend.cpp - finding, choosing and describing backends, for host
// programs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/Struct.h"
#include "capi/DriverCall.h"
#include "check/Check.h"
#include "plugin/PluginRegistry.h"
#include "process/HelperProcess.h"
#include "runtime/Runtime.h"
#include "support/Error.h"
#include "support/File.h"
#include "support/Json.h"

#include <cerrno>
#include <filesystem>
#include <unistd.h>

using namespace nereid::host;

// Gives the handle of a plugin that was found, or the reason why not.
static Outcome giveBackend(const nereid_runtime_t &runtime,
                           const Result<std::shared_ptr<Plugin>> &plugin,
                           nereid_backend_t **out_backend) {
  if (!plugin)
    return plugin.failure();
  *out_backend = runtime.backend(*plugin);
  return {};
}

nereid_status_t nereid_runtime_load(nereid_runtime_t *runtime,
                                    nereid_string_t path,
                                    nereid_backend_t **out_backend) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(runtime, "runtime"), require(out_backend, "out_backend")})
      if (!given)
        return given;
    return giveBackend(*runtime, runtime->plugins().load(view(path)),
                       out_backend);
  });
}

nereid_status_t nereid_runtime_register(nereid_runtime_t *runtime,
                                        const nereid_plugin_t *plugin,
                                        nereid_backend_t **out_backend) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(runtime, "runtime"), require(plugin, "plugin"),
          require(out_backend, "out_backend")})
      if (!given)
        return given;
    return giveBackend(*runtime, runtime->plugins().registerTable(plugin),
                       out_backend);
  });
}

nereid_status_t nereid_runtime_unregister(nereid_runtime_t *runtime,
                                          nereid_backend_t *backend) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(runtime, "runtime"), require(backend, "backend")})
      if (!given)
        return given;
    return runtime->unregister(backend);
  });
}

uint64_t nereid_runtime_backend_count(const nereid_runtime_t *runtime) {
  if (!runtime)
    return 0;
  try {
    return runtime->plugins().backends().size();
  } catch (...) {
    (void)failFromException();
    return 0;
  }
}

nereid_backend_t *nereid_runtime_backend_at(const nereid_runtime_t *runtime,
                                            uint64_t index) {
  if (!runtime)
    return nullptr;
  try {
    PluginList all = runtime->plugins().backends();
    return index < all.size() ? runtime->backend(all[index]) : nullptr;
  } catch (...) {
    (void)failFromException();
    return nullptr;
  }
}

nereid_status_t nereid_runtime_backend(const nereid_runtime_t *runtime,
                                       nereid_string_t name,
                                       nereid_backend_t **out_backend) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(runtime, "runtime"), require(out_backend, "out_backend")})
      if (!given)
        return given;
    return giveBackend(*runtime, runtime->plugins().backend(view(name)),
                       out_backend);
  });
}

nereid_status_t nereid_runtime_choose(const nereid_runtime_t *runtime,
                                      nereid_string_t name,
                                      nereid_backend_t **out_backend,
                                      uint32_t *out_device) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(runtime, "runtime"), require(out_backend, "out_backend"),
          require(out_device, "out_device")})
      if (!given)
        return given;
    Result<Choice> choice = runtime->plugins().choose(view(name));
    if (!choice)
      return choice.failure();
    *out_backend = runtime->backend(choice->plugin);
    *out_device = choice->device;
    return {};
  });
}

nereid_status_t nereid_runtime_explain(const nereid_runtime_t *runtime,
                                       nereid_string_t name,
                                       nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(runtime, "runtime"); !given)
      return given;
    return giveText(runtime->plugins().explain(view(name)), out_json);
  });
}

nereid_status_t nereid_backend_info(const nereid_backend_t *backend,
                                    nereid_backend_info_t *out_info) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(backend, "backend"); !given)
      return given;
    const Plugin &plugin = *backend->plugin;
    const PluginInfo &own = plugin.info;
    nereid_backend_info_t info = {};
    info.struct_size = sizeof info;
    info.has_compiler = plugin.hasCompiler;
    info.has_driver = plugin.hasDriver;
    info.flags = own.flags;
    info.score = plugin.probe().result.score;
    info.probe_flags = plugin.probe().result.flags;
    info.device_count = plugin.probe().result.device_count;
    info.abi_minor = own.abiMinor;
    info.id = borrow(own.id);
    info.device_type = borrow(own.deviceType);
    info.version = borrow(own.version);
    info.build_id = borrow(own.buildId);
    info.description = borrow(own.description);
    info.vendor_name = borrow(own.vendorName);
    info.device_name = borrow(own.deviceName);
    info.device_query_command = borrow(own.deviceQueryCommand);
    info.dispatch_key = borrow(own.dispatchKey);
    info.path = borrow(own.path);
    info.probe_reason = borrow(plugin.probe().reason);
    return writeStruct(info, out_info);
  });
}

nereid_status_t nereid_backend_target(const nereid_backend_t *backend,
                                      uint32_t device,
                                      nereid_target_t *out_target) {
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  nereid_status_t status = callDriver(
      backend, device, "get_target", [&](const Plugin &plugin, auto *call) {
        return plugin.driver.get_target(plugin.state, device, &target, call);
      });
  if (status != NEREID_OK)
    return status;
  return guarded([&] { return writeStruct(target, out_target); });
}

nereid_status_t nereid_backend_properties(const nereid_backend_t *backend,
                                          uint32_t device,
                                          nereid_buffer_t **out_json) {
  return guardedStatus([&]() -> nereid_status_t {
    Values values;
    nereid_status_t status =
        callDriver(backend, device, "visit_properties",
                   [&](const Plugin &plugin, auto *call) {
                     ValueSink sink(values, Call::of(call));
                     return plugin.driver.visit_properties(plugin.state, device,
                                                           sink.get(), call);
                   });
    if (status != NEREID_OK)
      return status;
    return guarded([&] { return giveJson(values.json(), out_json); });
  });
}

const void *nereid_backend_extension(const nereid_backend_t *backend,
                                     nereid_string_t id) {
  return backend ? backend->plugin->extension(id) : nullptr;
}

nereid_state_t *nereid_backend_state(const nereid_backend_t *backend) {
  return backend ? backend->plugin->state : nullptr;
}

// An absolute path without links, as plugins are known by.
static Result<std::string> readablePath(nereid_string_t path) {
  std::string file(view(path));
  if (::access(file.c_str(), R_OK) == 0)
    return std::filesystem::canonical(file).string();
  return Failure{NEREID_NOT_FOUND,
                 file + ": cannot be read: " + errorText(errno)};
}

nereid_status_t nereid_validate_plugin(const nereid_validate_request_t *given,
                                       nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    auto request = readStruct(*given);
    Result<std::string> path = readablePath(request.path);
    if (!path)
      return path.failure();
    CheckRequest checked = {*path, {}, {}};
    if (request.target)
      checked.target = Target::copy(*request.target);
    if (request.compiler.size) {
      Result<std::string> compiler = readablePath(request.compiler);
      if (!compiler)
        return compiler.failure();
      checked.compilerPath = *compiler;
    }
    Result<Json> results =
        validatePlugin(checked, probeHelperIn(ownDirectory()));
    if (!results)
      return results.failure();
    return giveJson(*results, out_json);
  });
}
