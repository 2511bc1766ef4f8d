// stream.cpp - streams and each thread's current ones, for host programs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "capi/DriverCall.h"
#include "runtime/CurrentStream.h"

using namespace nereid::host;

nereid_status_t
nereid_backend_create_stream(nereid_backend_t *backend, uint32_t device,
                             const nereid_stream_request_t *given,
                             nereid_stream_t *out_stream) {
  nereid_stream_request_t request = requestOr(given);
  return callForValue(
      backend, device, "create_stream", out_stream,
      [&](const Plugin &plugin, nereid_stream_t *stream, auto *call) {
        return plugin.extensions.streams.create(plugin.state, device, &request,
                                                stream, call);
      });
}

nereid_status_t nereid_backend_destroy_stream(nereid_backend_t *backend,
                                              uint32_t device,
                                              nereid_stream_t stream) {
  return callDriver(backend, device, "destroy_stream",
                    [&](const Plugin &plugin, auto *call) {
                      if (!stream)
                        return nereid_status_t(NEREID_OK);
                      if (currentStream(plugin, device) == stream)
                        setCurrentStream(plugin, device, 0);
                      return plugin.extensions.streams.destroy(
                          plugin.state, device, stream, call);
                    });
}

nereid_status_t nereid_backend_query_stream(nereid_backend_t *backend,
                                            uint32_t device,
                                            nereid_stream_t stream,
                                            int32_t *out_done) {
  return callForValue(backend, device, "query_stream", out_done,
                      [&](const Plugin &plugin, int32_t *done, auto *call) {
                        if (plugin.extensions.streams.isThere())
                          return plugin.extensions.streams.query(
                              plugin.state, device, stream, done, call);
                        *done = 1;
                        return plugin.driver.synchronize(plugin.state, device,
                                                         stream, call);
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

nereid_status_t nereid_backend_synchronize_device(nereid_backend_t *backend,
                                                  uint32_t device) {
  return callDriver(backend, device, "synchronize_device",
                    [&](const Plugin &plugin, auto *call) {
                      return plugin.driver.synchronize_device(plugin.state,
                                                              device, call);
                    });
}

// Checks that the backend drives `device` before `use` reads what this
// thread has set for it.
template <typename Use>
static nereid_status_t withCurrent(const nereid_backend_t *backend,
                                   uint32_t device, Use use) noexcept {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(backend, "backend"); !given)
      return given;
    if (Outcome checked = checkDevice(*backend->plugin, device); !checked)
      return checked;
    return use(*backend->plugin);
  });
}

nereid_status_t
nereid_backend_get_current_device(const nereid_backend_t *backend,
                                  uint32_t *out_device) {
  return withCurrent(backend, 0, [&](const Plugin &plugin) -> Outcome {
    if (Outcome given = require(out_device, "out_device"); !given)
      return given;
    *out_device = currentDevice(plugin);
    return {};
  });
}

nereid_status_t nereid_backend_set_current_device(nereid_backend_t *backend,
                                                  uint32_t device) {
  return withCurrent(backend, device, [&](const Plugin &plugin) -> Outcome {
    setCurrentDevice(plugin, device);
    return {};
  });
}

nereid_status_t
nereid_backend_get_current_stream(const nereid_backend_t *backend,
                                  uint32_t device,
                                  nereid_stream_t *out_stream) {
  return withCurrent(backend, device, [&](const Plugin &plugin) -> Outcome {
    if (Outcome given = require(out_stream, "out_stream"); !given)
      return given;
    *out_stream = currentStream(plugin, device);
    return {};
  });
}

nereid_status_t nereid_backend_set_current_stream(nereid_backend_t *backend,
                                                  uint32_t device,
                                                  nereid_stream_t stream) {
  return withCurrent(backend, device, [&](const Plugin &plugin) -> Outcome {
    setCurrentStream(plugin, device, stream);
    return {};
  });
}

nereid_status_t nereid_backend_flush_cache(nereid_backend_t *backend,
                                           uint32_t device,
                                           nereid_stream_t stream) {
  return callDriver(backend, device, "flush_cache",
                    [&](const Plugin &plugin, auto *call) {
                      return plugin.extensions.benchmark.flush_cache(
                          plugin.state, device, stream, call);
                    });
}
