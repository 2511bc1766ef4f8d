// nereid/host/interop.h - memory, queues and contexts of this program, used
// by a device.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_INCLUDE_HOST_INTEROP_H
#define NEREID_INCLUDE_HOST_INTEROP_H

#include "nereid/ext/interop.h"
#include "nereid/host/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes memory of this program usable on `device`; the memory outlives it.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_import_pointer(nereid_backend_t *backend, uint32_t device,
                              const nereid_import_t *object,
                              nereid_address_t *out_address);
// Ends the import; the caller has waited for the work that uses it. The memory
// stays. Accepts 0. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_release_pointer(nereid_backend_t *backend, uint32_t device,
                               nereid_address_t address);
// Makes a queue of this program usable as a stream; the queue outlives it.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_import_stream(nereid_backend_t *backend, uint32_t device,
                             const nereid_import_t *object,
                             nereid_stream_t *out_stream);
// Ends the import; the caller has waited for the work on it. The queue stays.
// Accepts 0. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_release_stream(nereid_backend_t *backend, uint32_t device,
                              nereid_stream_t stream);
// Lets the driver work in a context of this program until the backend ends.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_import_context(nereid_backend_t *backend, uint32_t device,
                              const nereid_import_t *object);

#ifdef __cplusplus
}
#endif
#endif // NEREID_INCLUDE_HOST_INTEROP_H
