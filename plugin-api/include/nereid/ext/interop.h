// nereid/ext/interop.h - extension "nereid.interop/1" of a plugin: memory,
// queues and contexts of the host program.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Importing makes a native object usable here without taking ownership: the
// program keeps it alive until it is released. Each slot is optional. An
// unknown kind is NEREID_UNIMPLEMENTED.

#ifndef NEREID_EXT_INTEROP_H
#define NEREID_EXT_INTEROP_H

#include "../entry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NEREID_EXT_INTEROP "nereid.interop/1"

// A native object. Borrowed for the call.
typedef struct nereid_import_t {
  uint32_t struct_size;
  uint32_t reserved;
  nereid_string_t kind;  // "host.pointer", "cuda.pointer", "cuda.stream", ...
  uint64_t handle;       // its value
  uint64_t size;         // bytes, of memory; else 0
} nereid_import_t;

typedef struct nereid_interop_t {
  uint32_t struct_size;
  uint32_t reserved;

  // (optional) Imports memory. Requires `release_pointer`. [any-thread]
  nereid_status_t (*import_pointer)(nereid_state_t *state, uint32_t device,
                                    const nereid_import_t *object,
                                    nereid_address_t *out_address,
                                    const nereid_call_t *call);
  // (optional) Ends the import; the caller has waited for the work that uses
  // it. The memory stays. Accepts 0. [any-thread]
  nereid_status_t (*release_pointer)(nereid_state_t *state, uint32_t device,
                                     nereid_address_t address,
                                     const nereid_call_t *call);
  // (optional) Imports a queue of work. Requires `release_stream`.
  // [any-thread]
  nereid_status_t (*import_stream)(nereid_state_t *state, uint32_t device,
                                   const nereid_import_t *object,
                                   nereid_stream_t *out_stream,
                                   const nereid_call_t *call);
  // (optional) Ends the import; the caller has waited for the work on it. The
  // queue stays. Accepts 0. [any-thread]
  nereid_status_t (*release_stream)(nereid_state_t *state, uint32_t device,
                                    nereid_stream_t stream,
                                    const nereid_call_t *call);
  // (optional) Imports the context or device object that all later work on
  // `device` uses, until shutdown. NEREID_UNAVAILABLE once `device` is in use.
  // [any-thread]
  nereid_status_t (*import_context)(nereid_state_t *state, uint32_t device,
                                    const nereid_import_t *object,
                                    const nereid_call_t *call);
} nereid_interop_t;

#ifdef __cplusplus
}
#endif
#endif // NEREID_EXT_INTEROP_H
