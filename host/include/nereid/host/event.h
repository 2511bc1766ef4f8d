// nereid/host/event.h - events: points in streams.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// An event belongs to the backend that made it; other backends'
// events are refused. nereid/ext/event.h defines their behaviour.

#ifndef NEREID_INCLUDE_HOST_EVENT_H
#define NEREID_INCLUDE_HOST_EVENT_H

#include "nereid/ext/event.h"
#include "nereid/host/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Creates an event of `device`; `request` may be NULL. NEREID_UNIMPLEMENTED if
// the driver has none. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_create_event(nereid_backend_t *backend, uint32_t device,
                            const nereid_event_request_t *request,
                            nereid_event_t **out_event);
// Accepts NULL. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_destroy_event(nereid_backend_t *backend, nereid_event_t *event);
// Marks the point that `stream` of the event's device has reached. [serial]
NEREID_EXPORT nereid_status_t
nereid_backend_record_event(nereid_backend_t *backend, nereid_event_t *event,
                            nereid_stream_t stream);
// Later work of `stream` of `device` starts after the event. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_wait_event(nereid_backend_t *backend, uint32_t device,
                          nereid_stream_t stream, nereid_event_t *event);
// Sets `*out_done` to 1 if the event is reached, else to 0. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_query_event(nereid_backend_t *backend, nereid_event_t *event,
                           int32_t *out_done);
// Waits until the event is reached. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_synchronize_event(nereid_backend_t *backend,
                                 nereid_event_t *event);
// The nanoseconds between two recorded events of one device; waits for both.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_elapsed(nereid_backend_t *backend, nereid_event_t *start,
                       nereid_event_t *end, double *out_nanoseconds);

#ifdef __cplusplus
}
#endif
#endif // NEREID_INCLUDE_HOST_EVENT_H
