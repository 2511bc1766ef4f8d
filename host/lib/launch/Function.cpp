// Function.cpp - loads an image and finds its kernel.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "launch/Function.h"

#include "abi/Call.h"
#include "artifact/Artifact.h"
#include "plugin/Target.h"
#include "runtime/Trace.h"

namespace nereid::host {

static Outcome checkLoadable(const Plugin &plugin, const Artifact &artifact) {
  if (!plugin.hasDriver)
    return Failure{NEREID_UNIMPLEMENTED,
                   "plugin '" + plugin.info.id +
                       "' has no driver, so it cannot load '" +
                       artifact.sourceName + "'"};
  if (!artifact.isImage)
    return Failure{NEREID_UNIMPLEMENTED,
                   artifact.sourceName + ": compiled by plugin '" +
                       artifact.pluginId + "' only up to stage '" +
                       artifact.lastStage + "', which makes '" + artifact.kind +
                       "' and not an image, so it cannot be launched"};
  return {};
}

Result<std::unique_ptr<Function>> Function::load(std::shared_ptr<Plugin> plugin,
                                                 uint32_t device,
                                                 const Artifact &artifact,
                                                 const Log *log, Trace *trace) {
  if (Outcome checked = checkLoadable(*plugin, artifact); !checked)
    return checked.failure();
  if (Outcome checked = checkDevice(*plugin, device); !checked)
    return checked.failure();
  TraceSpan span(trace, "load-image", artifact.sourceName);
  span.argument("plugin", plugin->info.id);
  std::unique_ptr<Function> function(new Function);
  function->plugin = std::move(plugin);
  function->log = log;
  function->trace = trace;
  Outcome resolved = function->resolve(device, artifact);
  if (!resolved)
    return Failure{resolved.failure().status,
                   artifact.sourceName + ": " + resolved.failure().text};
  return function;
}

static Failure gaveNothing(const Plugin &plugin, const std::string &what) {
  return {NEREID_INTERNAL, "plugin '" + plugin.info.id + "': " + what +
                               ", which is a fault of the plugin"};
}

Outcome Function::resolve(uint32_t device, const Artifact &artifact) {
  Result<ArgumentLayout> layout = ArgumentLayout::read(artifact.metadata);
  if (!layout)
    return Failure{layout.failure().status, "plugin '" + plugin->info.id +
                                                "': " + layout.failure().text};
  std::optional<std::string_view> symbol = artifact.metadata.string("name");
  if (!symbol || symbol->empty())
    return Failure{NEREID_INVALID_ARGUMENT,
                   "malformed metadata: no 'name' of the kernel"};
  kernelName = *symbol;
  arguments = std::move(*layout);
  blockSize = arguments.size;
  slot = plugin->driver.launch;
  if (Outcome read = readGridLimits(device); !read)
    return read;
  if (Outcome read = readLaunchFacts(artifact.metadata); !read)
    return read;

  std::span<const nereid_value_t> metadata = artifact.metadata.items();
  nereid_image_t image = {};
  image.struct_size = sizeof image;
  image.bytes = {artifact.output.data(), artifact.output.size()};
  image.path = borrow(artifact.path);
  image.metadata = metadata.data();
  image.metadata_count = metadata.size();
  Call load(log, plugin->info);
  nereid_status_t loaded = load.run([&] {
    return plugin->driver.load_image(plugin->state, device, &image, &module,
                                     load.get());
  });
  if (loaded != NEREID_OK) {
    module = nullptr; // whatever a failing slot left there
    return load.failure(loaded, "load_image");
  }
  if (!module)
    return gaveNothing(*plugin, "load_image returned ok but no module");
  info.struct_size = sizeof info;
  info.registers = info.spills = info.max_threads = -1;
  info.shared = -1;
  Call get(log, plugin->info);
  nereid_status_t found = get.run([&] {
    return plugin->driver.get_kernel(plugin->state, module, borrow(kernelName),
                                     &kernel, &info, get.get());
  });
  if (found != NEREID_OK)
    return get.failure(found, "get_kernel");
  if (!kernel)
    return gaveNothing(*plugin, "get_kernel returned ok but no kernel");
  return {};
}

// Program ids are signed 32-bit numbers in Triton; a device may allow less.
Outcome Function::readGridLimits(uint32_t device) {
  Values properties;
  Call call(log, plugin->info);
  ValueSink sink(properties, call);
  nereid_status_t status = call.run([&] {
    return plugin->driver.visit_properties(plugin->state, device, sink.get(),
                                           call.get());
  });
  if (status != NEREID_OK)
    return call.failure(status, "visit_properties");
  const nereid_value_t *limits = properties.find("max_grid");
  if (!limits || limits->type != NEREID_TYPE_I64_LIST || limits->list_size != 3)
    return {};
  for (size_t axis = 0; axis < 3; ++axis) {
    int64_t limit = static_cast<const int64_t *>(limits->list)[axis];
    if (limit > 0 && limit < gridLimits[axis])
      gridLimits[axis] = static_cast<uint32_t>(limit);
  }
  return {};
}

Outcome Function::readLaunchFacts(const Values &metadata) {
  int64_t size = metadata.integer("scratch_size").value_or(0);
  int64_t alignment = metadata.integer("scratch_alignment").value_or(64);
  if (size < 0 || alignment <= 0 || (alignment & (alignment - 1)))
    return Failure{NEREID_INTERNAL,
                   "malformed metadata: 'scratch_size' is " +
                       std::to_string(size) + " and 'scratch_alignment' " +
                       std::to_string(alignment) +
                       ", expected at least 0 and a power of two"};
  scratchSize = static_cast<uint64_t>(size);
  scratchAlignment = size ? static_cast<uint64_t>(alignment) : 0;
  const nereid_value_t *cooperative = metadata.find("cooperative");
  if (cooperative && cooperative->type == NEREID_TYPE_BOOL && cooperative->i64)
    flags |= NEREID_LAUNCH_COOPERATIVE;
  return {};
}

Function::~Function() {
  if (!module)
    return;
  Call call(log, plugin->info);
  nereid_status_t status = call.run([&] {
    return plugin->driver.unload_module(plugin->state, module, call.get());
  });
  if (status != NEREID_OK)
    call.warn(status, "unload_module");
}

} // namespace nereid::host
