// nereid/host/base.h - the handles of libnereid, and what every call shares.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_INCLUDE_HOST_BASE_H
#define NEREID_INCLUDE_HOST_BASE_H

#include "nereid/entry.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nereid_runtime_t nereid_runtime_t;    // plugins, cache, settings
typedef struct nereid_backend_t nereid_backend_t;    // one loaded plugin
typedef struct nereid_artifact_t nereid_artifact_t;  // the result of a compile
typedef struct nereid_function_t nereid_function_t;  // a kernel, ready to launch
typedef struct nereid_buffer_t nereid_buffer_t;      // bytes owned by libnereid

// The reasons of the calling thread's last failure, one a line: "error: ...",
// "note: ...". Empty if nothing failed yet. Valid until the thread's next call
// that can fail. [any-thread]
NEREID_EXPORT nereid_string_t nereid_error(void);

// For libraries on top of libnereid: makes `reasons`, one a line, what
// nereid_error() returns in this thread, with "error: " before each line that
// is not a note, and returns `status`. Borrowed for the call. [any-thread]
NEREID_EXPORT nereid_status_t nereid_fail(nereid_status_t status,
                                          nereid_string_t reasons);

// The name of a status code, "invalid-argument" for instance. [any-thread]
NEREID_EXPORT nereid_string_t nereid_status_name(nereid_status_t status);

// The version of libnereid, "0.1.0". [any-thread]
NEREID_EXPORT nereid_string_t nereid_version(void);

// For libraries on top of libnereid: a buffer with a copy of `bytes`.
// [any-thread]
NEREID_EXPORT nereid_status_t nereid_buffer_create(nereid_bytes_t bytes,
                                                   nereid_buffer_t **out_buffer);
// The bytes of a buffer; valid until it is destroyed. [any-thread]
NEREID_EXPORT nereid_bytes_t nereid_buffer_bytes(const nereid_buffer_t *buffer);
// [any-thread]
NEREID_EXPORT void nereid_buffer_destroy(nereid_buffer_t *buffer);

#ifdef __cplusplus
}
#endif
#endif // NEREID_INCLUDE_HOST_BASE_H
