// nereid/host/memory.h - memory of devices: allocate, copy, fill.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_INCLUDE_HOST_MEMORY_H
#define NEREID_INCLUDE_HOST_MEMORY_H

#include "nereid/ext/memory.h"
#include "nereid/host/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Allocates memory on `device`. A size of 0 returns address 0. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_allocate(nereid_backend_t *backend, uint32_t device,
                        const nereid_allocation_t *allocation,
                        nereid_address_t *out_address);
// Frees it; the caller has waited for the work that uses it. Accepts 0.
// [any-thread]
NEREID_EXPORT nereid_status_t nereid_backend_free(nereid_backend_t *backend,
                                                  uint32_t device,
                                                  nereid_address_t address);
// Copies on a stream of `device`. The caller must not touch the host
// memory until the stream is synchronized. [any-thread]
NEREID_EXPORT nereid_status_t nereid_backend_copy(nereid_backend_t *backend,
                                                  uint32_t device,
                                                  const nereid_copy_t *copy);
// Copies a rectangle; row by row if the driver cannot. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_copy_2d(nereid_backend_t *backend, uint32_t device,
                       const nereid_copy_2d_t *copy);
// Copies to `device` from another one of the backend. If the driver
// cannot, the copy goes through the host, and the call returns when it is done.
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_copy_peer(nereid_backend_t *backend, uint32_t device,
                         const nereid_copy_peer_t *copy);
// Sets elements to a pattern. If the driver cannot, the host copies, and the
// call returns when it is done. [any-thread]
NEREID_EXPORT nereid_status_t nereid_backend_fill(nereid_backend_t *backend,
                                                  uint32_t device,
                                                  const nereid_fill_t *fill);
// Allocates pinned host memory, for fast copies to and from `device`; ordinary
// memory if the driver has no pinned memory. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_allocate_host(nereid_backend_t *backend, uint32_t device,
                             const nereid_allocation_t *allocation,
                             void **out_pointer);
// Frees it; the caller has waited for the copies. Accepts NULL. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_free_host(nereid_backend_t *backend, uint32_t device,
                         void *pointer);
// Free and total memory of `device`. NEREID_UNIMPLEMENTED if the driver does
// not report it. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_backend_memory_info(const nereid_backend_t *backend, uint32_t device,
                           nereid_memory_info_t *out_info);

#ifdef __cplusplus
}
#endif
#endif // NEREID_INCLUDE_HOST_MEMORY_H
