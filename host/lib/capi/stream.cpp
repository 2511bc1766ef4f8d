// stream.cpp - current devices, streams and events, for host programs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "capi/DriverCall.h"

using namespace nereid::host;

nereid_status_t nereid_backend_adopt_stream(nereid_backend_t *backend,
                                            uint32_t device,
                                            nereid_string_t kind,
                                            uint64_t handle,
                                            nereid_stream_t *out_stream) {
  return callForValue(
      backend, device, "adopt_stream", out_stream,
      [&](const Plugin &plugin, nereid_stream_t *stream, auto *call) {
        return plugin.driver.adopt_stream(
            plugin.state, device, borrow(view(kind)), handle, stream, call);
      });
}

void nereid_backend_release_stream(nereid_backend_t *backend, uint32_t device,
                                   nereid_stream_t stream) {
  if (stream && hasDriver(backend, device))
    callQuietly([&] {
      const Plugin &plugin = *backend->plugin;
      plugin.driver.release_stream(plugin.state, device, stream);
    });
}

nereid_status_t nereid_backend_adopt_context(nereid_backend_t *backend,
                                             uint32_t device,
                                             nereid_string_t kind,
                                             uint64_t handle) {
  return callDriver(
      backend, device, "adopt_context", [&](const Plugin &plugin, auto *call) {
        return plugin.driver.adopt_context(plugin.state, device,
                                           borrow(view(kind)), handle, call);
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
  return callDriver(
      backend, device, "synchronize", [&](const Plugin &plugin, auto *call) {
        return plugin.driver.synchronize(plugin.state, device, stream, call);
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
  return callDriver(
      backend, 0, "record_event", [&](const Plugin &plugin, auto *call) {
        return plugin.driver.record_event(plugin.state, event, stream, call);
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
  return callDriver(
      backend, device, "flush_cache", [&](const Plugin &plugin, auto *call) {
        return plugin.driver.flush_cache(plugin.state, device, stream, call);
      });
}
