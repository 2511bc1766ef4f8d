// event.cpp - events, for host programs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "capi/DriverCall.h"

using namespace nereid::host;

namespace {
/// The object behind a host program's nereid_event_t. Plugins never see it, so
/// a plugin cannot receive the event of another one.
struct Event {
  const nereid_backend_t *backend;
  uint32_t device;
  nereid_event_t *handle;
};
} // namespace

static Event &eventOf(nereid_event_t *event) {
  return *reinterpret_cast<Event *>(event);
}

// Calls slot `name` for `event`, which must be of `backend`.
template <typename Body>
static nereid_status_t
callForEvent(const nereid_backend_t *backend, nereid_event_t *event,
             std::string_view name, Body &&body) noexcept {
  return guardedStatus([&]() -> nereid_status_t {
    Outcome checked;
    if (!event)
      checked = Failure{NEREID_INVALID_ARGUMENT,
                        std::string(name) + ": event is null"};
    else if (backend && eventOf(event).backend != backend)
      checked = Failure{NEREID_INVALID_ARGUMENT,
                        std::string(name) + ": the event is of plugin '" +
                            eventOf(event).backend->plugin->info.id +
                            "', expected one of plugin '" +
                            backend->plugin->info.id + "'"};
    if (!checked)
      return fail(checked.failure());
    return callDriver(backend, eventOf(event).device, name,
                      [&](const Plugin &plugin, const nereid_call_t *call) {
                        return body(plugin, eventOf(event).handle, call);
                      });
  });
}

nereid_status_t nereid_backend_create_event(nereid_backend_t *backend,
                                            uint32_t device,
                                            const nereid_event_request_t *given,
                                            nereid_event_t **out_event) {
  nereid_event_request_t request = requestOr(given);
  return callForValue(
      backend, device, "create_event", out_event,
      [&](const Plugin &plugin, nereid_event_t **out, auto *call) {
        auto event = std::make_unique<Event>(Event{backend, device, nullptr});
        nereid_status_t status = plugin.extensions.events.create(
            plugin.state, device, &request, &event->handle, call);
        if (status == NEREID_OK)
          *out = reinterpret_cast<nereid_event_t *>(event.release());
        return status;
      });
}

nereid_status_t nereid_backend_destroy_event(nereid_backend_t *backend,
                                             nereid_event_t *event) {
  if (!event)
    return NEREID_OK;
  nereid_status_t status = callForEvent(
      backend, event, "destroy_event",
      [&](const Plugin &plugin, nereid_event_t *handle, auto *call) {
        return plugin.extensions.events.destroy(plugin.state, handle, call);
      });
  if (eventOf(event).backend == backend)
    delete &eventOf(event);
  return status;
}

nereid_status_t nereid_backend_record_event(nereid_backend_t *backend,
                                            nereid_event_t *event,
                                            nereid_stream_t stream) {
  return callForEvent(
      backend, event, "record_event",
      [&](const Plugin &plugin, nereid_event_t *handle, auto *call) {
        return plugin.extensions.events.record(plugin.state, handle, stream,
                                               call);
      });
}

nereid_status_t nereid_backend_wait_event(nereid_backend_t *backend,
                                          uint32_t device,
                                          nereid_stream_t stream,
                                          nereid_event_t *event) {
  return guardedStatus([&]() -> nereid_status_t {
    if (backend)
      if (Outcome checked = checkDevice(*backend->plugin, device); !checked)
        return fail(checked.failure());
    return callForEvent(
        backend, event, "wait_event",
        [&](const Plugin &plugin, nereid_event_t *handle, auto *call) {
          return plugin.extensions.events.wait(plugin.state, device, stream,
                                               handle, call);
        });
  });
}

nereid_status_t nereid_backend_query_event(nereid_backend_t *backend,
                                           nereid_event_t *event,
                                           int32_t *out_done) {
  return guardedStatus([&]() -> nereid_status_t {
    if (!out_done)
      return fail({NEREID_INVALID_ARGUMENT, "query_event: out_done is null"});
    return callForEvent(
        backend, event, "query_event",
        [&](const Plugin &plugin, nereid_event_t *handle, auto *call) {
          return plugin.extensions.events.query(plugin.state, handle, out_done,
                                                call);
        });
  });
}

nereid_status_t nereid_backend_synchronize_event(nereid_backend_t *backend,
                                                 nereid_event_t *event) {
  return callForEvent(
      backend, event, "synchronize_event",
      [&](const Plugin &plugin, nereid_event_t *handle, auto *call) {
        return plugin.extensions.events.synchronize(plugin.state, handle, call);
      });
}

nereid_status_t nereid_backend_elapsed(nereid_backend_t *backend,
                                       nereid_event_t *start,
                                       nereid_event_t *end,
                                       double *out_nanoseconds) {
  return guardedStatus([&]() -> nereid_status_t {
    if (!out_nanoseconds)
      return fail(
          {NEREID_INVALID_ARGUMENT, "elapsed: out_nanoseconds is null"});
    // The second event gets the checks of the first.
    if (nereid_status_t status = callForEvent(
            backend, end, "elapsed",
            [](const Plugin &, nereid_event_t *, auto *) { return NEREID_OK; });
        status != NEREID_OK)
      return status;
    return callForEvent(
        backend, start, "elapsed",
        [&](const Plugin &plugin, nereid_event_t *handle, auto *call) {
          return plugin.extensions.events.elapsed(
              plugin.state, handle, eventOf(end).handle, out_nanoseconds, call);
        });
  });
}
