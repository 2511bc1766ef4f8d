// capi_driver.cpp - the driver's slots for host programs: checked, and with
// failures turned into the thread's error.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Call.h"
#include "Error.h"
#include "Handles.h"
#include "Runtime.h"
#include "Struct.h"
#include "Target.h"

using namespace nereid;

// Calls slot `name` of the driver through `body`, once `device` is known to
// exist.
template <typename Body>
static nereid_status_t callDriver(const nereid_backend_t *backend,
                                  uint32_t device, std::string_view name,
                                  Body &&body) noexcept {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(backend, "backend"); !given)
      return given;
    const Plugin &plugin = *backend->plugin;
    if (Outcome checked = checkDevice(plugin, device); !checked)
      return checked;
    Call call(&backend->runtime->log(), plugin.info.id);
    nereid_status_t status =
        call.run([&] { return body(plugin, call.get()); });
    if (status != NEREID_OK)
      return call.failure(status, name);
    return {};
  });
}

// As callDriver(), for slots that write to `*out`, which may not be null.
template <typename Value, typename Body>
static nereid_status_t callForValue(const nereid_backend_t *backend,
                                    uint32_t device, std::string_view name,
                                    Value *out, Body &&body) noexcept {
  if (!out)
    return fail({NEREID_INVALID_ARGUMENT,
                 std::string(name) + ": the out parameter is null"});
  Value value = {};
  nereid_status_t status = callDriver(
      backend, device, name, [&](const Plugin &plugin, auto *call) {
        return body(plugin, &value, call);
      });
  if (status == NEREID_OK)
    *out = value;
  return status;
}

// Slots that free or destroy give no status: a wrong device is ignored.
static bool hasDriver(const nereid_backend_t *backend, uint32_t device) {
  return backend && backend->plugin->hasDriver &&
         device < backend->plugin->probe.device_count;
}

template <typename Body> static void callQuietly(Body &&body) noexcept {
  try {
    body();
  } catch (...) {
    (void)failFromException();
  }
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
  Values values;
  ValueSink sink(values);
  nereid_status_t status =
      callDriver(backend, device, "visit_properties",
                 [&](const Plugin &plugin, auto *call) {
                   return plugin.driver.visit_properties(
                       plugin.state, device, sink.get(), call);
                 });
  if (status != NEREID_OK)
    return status;
  return guarded([&] { return giveJson(values.json(), out_json); });
}

nereid_status_t nereid_backend_allocate(nereid_backend_t *backend,
                                        uint32_t device, uint64_t size,
                                        nereid_address_t *out_address) {
  return callForValue(
      backend, device, "allocate", out_address,
      [&](const Plugin &plugin, nereid_address_t *address, auto *call) {
        return plugin.driver.allocate(plugin.state, device, size, address,
                                      call);
      });
}

void nereid_backend_free(nereid_backend_t *backend, uint32_t device,
                         nereid_address_t address) {
  if (address && hasDriver(backend, device))
    callQuietly([&] {
      const Plugin &plugin = *backend->plugin;
      plugin.driver.free(plugin.state, device, address);
    });
}

nereid_status_t nereid_backend_copy(nereid_backend_t *backend, uint32_t device,
                                    nereid_stream_t stream,
                                    nereid_copy_t direction,
                                    nereid_address_t destination,
                                    nereid_address_t source, uint64_t size) {
  if (direction < NEREID_COPY_HOST_TO_DEVICE ||
      direction > NEREID_COPY_DEVICE_TO_DEVICE)
    return fail({NEREID_INVALID_ARGUMENT,
                 "copy: direction is " + std::to_string(direction) +
                     ", expected 1, 2 or 3"});
  if (size && (!destination || !source))
    return fail({NEREID_INVALID_ARGUMENT,
                 "copy: the " +
                     std::string(destination ? "source" : "destination") +
                     " of " + std::to_string(size) + " bytes is null"});
  if (!size)
    return NEREID_OK;
  return callDriver(
      backend, device, "copy", [&](const Plugin &plugin, auto *call) {
        return plugin.driver.copy(plugin.state, device, stream, direction,
                                  destination, source, size, call);
      });
}

nereid_status_t nereid_backend_fill(nereid_backend_t *backend, uint32_t device,
                                    nereid_stream_t stream,
                                    nereid_address_t destination,
                                    const void *pattern,
                                    uint32_t pattern_size, uint64_t count) {
  bool isPower = pattern_size == 1 || pattern_size == 2 ||
                 pattern_size == 4 || pattern_size == 8;
  if (!isPower)
    return fail({NEREID_INVALID_ARGUMENT,
                 "fill: pattern_size is " + std::to_string(pattern_size) +
                     ", expected 1, 2, 4 or 8"});
  if (count && (!destination || !pattern))
    return fail({NEREID_INVALID_ARGUMENT,
                 destination ? "fill: pattern is null"
                             : "fill: destination is null"});
  if (!count)
    return NEREID_OK;
  return callDriver(
      backend, device, "fill", [&](const Plugin &plugin, auto *call) {
        return plugin.driver.fill(plugin.state, device, stream, destination,
                                  pattern, pattern_size, count, call);
      });
}

nereid_status_t nereid_backend_adopt_pointer(nereid_backend_t *backend,
                                             uint32_t device,
                                             nereid_string_t kind,
                                             uint64_t handle, uint64_t size,
                                             nereid_address_t *out_address) {
  return callForValue(
      backend, device, "adopt_pointer", out_address,
      [&](const Plugin &plugin, nereid_address_t *address, auto *call) {
        return plugin.driver.adopt_pointer(plugin.state, device, kind, handle,
                                           size, address, call);
      });
}

nereid_status_t nereid_backend_adopt_stream(nereid_backend_t *backend,
                                            uint32_t device,
                                            nereid_string_t kind,
                                            uint64_t handle,
                                            nereid_stream_t *out_stream) {
  return callForValue(
      backend, device, "adopt_stream", out_stream,
      [&](const Plugin &plugin, nereid_stream_t *stream, auto *call) {
        return plugin.driver.adopt_stream(plugin.state, device, kind, handle,
                                          stream, call);
      });
}

nereid_status_t nereid_backend_adopt_context(nereid_backend_t *backend,
                                             uint32_t device,
                                             nereid_string_t kind,
                                             uint64_t handle) {
  return callDriver(backend, device, "adopt_context",
                    [&](const Plugin &plugin, auto *call) {
                      return plugin.driver.adopt_context(plugin.state, device,
                                                         kind, handle, call);
                    });
}

nereid_status_t nereid_backend_create_stream(nereid_backend_t *backend,
                                             uint32_t device,
                                             nereid_stream_t *out_stream) {
  return callForValue(
      backend, device, "create_stream", out_stream,
      [&](const Plugin &plugin, nereid_stream_t *stream, auto *call) {
        return plugin.driver.create_stream(plugin.state, device, stream, call);
      });
}

void nereid_backend_destroy_stream(nereid_backend_t *backend, uint32_t device,
                                   nereid_stream_t stream) {
  if (stream && hasDriver(backend, device))
    callQuietly([&] {
      const Plugin &plugin = *backend->plugin;
      plugin.driver.destroy_stream(plugin.state, device, stream);
    });
}

nereid_status_t
nereid_backend_get_current_device(const nereid_backend_t *backend,
                                  uint32_t *out_device) {
  return callForValue(
      backend, 0, "get_current_device", out_device,
      [&](const Plugin &plugin, uint32_t *device, auto *call) {
        nereid_status_t status =
            plugin.driver.get_current_device(plugin.state, device, call);
        // Without the slot it is device 0 always.
        return status == NEREID_UNIMPLEMENTED ? NEREID_OK : status;
      });
}

nereid_status_t nereid_backend_set_current_device(nereid_backend_t *backend,
                                                  uint32_t device) {
  return callDriver(backend, device, "set_current_device",
                    [&](const Plugin &plugin, auto *call) {
                      return plugin.driver.set_current_device(plugin.state,
                                                              device, call);
                    });
}

nereid_status_t
nereid_backend_get_current_stream(const nereid_backend_t *backend,
                                  uint32_t device,
                                  nereid_stream_t *out_stream) {
  return callForValue(
      backend, device, "get_current_stream", out_stream,
      [&](const Plugin &plugin, nereid_stream_t *stream, auto *call) {
        nereid_status_t status = plugin.driver.get_current_stream(
            plugin.state, device, stream, call);
        // Without the slot it is the default stream always.
        return status == NEREID_UNIMPLEMENTED ? NEREID_OK : status;
      });
}

nereid_status_t nereid_backend_set_current_stream(nereid_backend_t *backend,
                                                  uint32_t device,
                                                  nereid_stream_t stream) {
  return callDriver(backend, device, "set_current_stream",
                    [&](const Plugin &plugin, auto *call) {
                      return plugin.driver.set_current_stream(
                          plugin.state, device, stream, call);
                    });
}

nereid_status_t nereid_backend_synchronize(nereid_backend_t *backend,
                                           uint32_t device,
                                           nereid_stream_t stream) {
  return callDriver(backend, device, "synchronize",
                    [&](const Plugin &plugin, auto *call) {
                      return plugin.driver.synchronize(plugin.state, device,
                                                       stream, call);
                    });
}

nereid_status_t nereid_backend_create_event(nereid_backend_t *backend,
                                            uint32_t device,
                                            nereid_event_t **out_event) {
  return callForValue(
      backend, device, "create_event", out_event,
      [&](const Plugin &plugin, nereid_event_t **event, auto *call) {
        return plugin.driver.create_event(plugin.state, device, event, call);
      });
}

void nereid_backend_destroy_event(nereid_backend_t *backend,
                                  nereid_event_t *event) {
  if (event && hasDriver(backend, 0))
    callQuietly([&] {
      const Plugin &plugin = *backend->plugin;
      plugin.driver.destroy_event(plugin.state, event);
    });
}

nereid_status_t nereid_backend_record_event(nereid_backend_t *backend,
                                            nereid_event_t *event,
                                            nereid_stream_t stream) {
  if (!event)
    return fail({NEREID_INVALID_ARGUMENT, "record_event: event is null"});
  return callDriver(backend, 0, "record_event",
                    [&](const Plugin &plugin, auto *call) {
                      return plugin.driver.record_event(plugin.state, event,
                                                        stream, call);
                    });
}

nereid_status_t nereid_backend_elapsed(nereid_backend_t *backend,
                                       nereid_event_t *start,
                                       nereid_event_t *end,
                                       double *out_nanoseconds) {
  if (!start || !end)
    return fail({NEREID_INVALID_ARGUMENT,
                 start ? "elapsed: end is null" : "elapsed: start is null"});
  return callForValue(
      backend, 0, "elapsed", out_nanoseconds,
      [&](const Plugin &plugin, double *nanoseconds, auto *call) {
        return plugin.driver.elapsed(plugin.state, start, end, nanoseconds,
                                     call);
      });
}

nereid_status_t nereid_backend_flush_cache(nereid_backend_t *backend,
                                           uint32_t device,
                                           nereid_stream_t stream) {
  return callDriver(backend, device, "flush_cache",
                    [&](const Plugin &plugin, auto *call) {
                      return plugin.driver.flush_cache(plugin.state, device,
                                                       stream, call);
                    });
}
