// nereid/host/stream.h - streams: queues of work on a device.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Each thread has a current device and stream for each backend. libnereid only
// stores them for the program: no other function here uses them.

#ifndef NEREID_INCLUDE_HOST_STREAM_H
#define NEREID_INCLUDE_HOST_STREAM_H

#include "nereid/ext/stream.h"
#include "nereid/host/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Creates a stream; `request` may be NULL. NEREID_UNIMPLEMENTED if the driver
// has only the default stream. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_create_stream(nereid_backend_t *backend, uint32_t device,
                             const nereid_stream_request_t *request,
                             nereid_stream_t *out_stream);
// Waits for its work, destroys it and reports what failed in that work.
// Accepts 0, which it does not destroy. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_destroy_stream(nereid_backend_t *backend, uint32_t device,
                              nereid_stream_t stream);
// Sets `*out_done` to 1 if all work of `stream` has ended, else to 0. For a
// driver without streams it waits. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_query_stream(nereid_backend_t *backend, uint32_t device,
                            nereid_stream_t stream, int32_t *out_done);
// Waits for the work of a stream, and reports what failed in it. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_synchronize(nereid_backend_t *backend, uint32_t device,
                           nereid_stream_t stream);
// The same for all streams of `device`. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_synchronize_device(nereid_backend_t *backend, uint32_t device);

// The calling thread's device, initially 0. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_get_current_device(const nereid_backend_t *backend,
                                  uint32_t *out_device);
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_set_current_device(nereid_backend_t *backend, uint32_t device);
// The calling thread's stream on `device`, initially 0. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_get_current_stream(const nereid_backend_t *backend,
                                  uint32_t device,
                                  nereid_stream_t *out_stream);
// The stream must exist while it is the current one. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_set_current_stream(nereid_backend_t *backend, uint32_t device,
                                  nereid_stream_t stream);

// Evicts the device's caches, before a cold measurement. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_flush_cache(nereid_backend_t *backend, uint32_t device,
                           nereid_stream_t stream);

#ifdef __cplusplus
}
#endif
#endif // NEREID_INCLUDE_HOST_STREAM_H
