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

// Imports memory of this program on `device`; it must outlive the import.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_import_pointer(nereid_backend_t *backend, uint32_t device,
                              const nereid_import_t *object,
                              nereid_address_t *out_address);
// Ends the import; the caller has waited for the work that uses it. The memory
// is not freed. Accepts 0. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_release_pointer(nereid_backend_t *backend, uint32_t device,
                               nereid_address_t address);
// Imports a queue of this program as a stream; it must outlive the import.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_import_stream(nereid_backend_t *backend, uint32_t device,
                             const nereid_import_t *object,
                             nereid_stream_t *out_stream);
// Ends the import; the caller has waited for the work on it. The queue is not
// destroyed. Accepts 0. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_release_stream(nereid_backend_t *backend, uint32_t device,
                              nereid_stream_t stream);
// Lets the driver use a context of this program until the backend ends.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_import_context(nereid_backend_t *backend, uint32_t device,
                              const nereid_import_t *object);

#ifdef __cplusplus
}
#endif
#endif // NEREID_INCLUDE_HOST_INTEROP_H
