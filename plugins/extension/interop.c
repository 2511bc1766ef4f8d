// interop.c - imports memory, queues and contexts of the host program.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "extension.h"

#include <stdatomic.h>

// Whether `object` is of kind `expected`; reports an error if not.
static int32_t is_kind(const nereid_import_t *object, const char *expected,
                       const nereid_call_t *call) {
  if (extension_equal(object->kind, expected))
    return 1;
  extension_fail(call, NEREID_UNIMPLEMENTED,
                 "cannot import a '%.*s', expected a '%s'",
                 (int)object->kind.size, object->kind.data, expected);
  return 0;
}

static nereid_status_t import_pointer(nereid_state_t *state, uint32_t device,
                                      const nereid_import_t *object,
                                      nereid_address_t *out_address,
                                      const nereid_call_t *call) {
  (void)state;
  (void)device;
  if (!is_kind(object, "host.pointer", call))
    return NEREID_UNIMPLEMENTED;
  *out_address = object->handle;
  return NEREID_OK;
}

static nereid_status_t release_pointer(nereid_state_t *state, uint32_t device,
                                       nereid_address_t address,
                                       const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)address;
  (void)call;
  return NEREID_OK; // the host program owns the memory
}

static nereid_status_t import_stream(nereid_state_t *state, uint32_t device,
                                     const nereid_import_t *object,
                                     nereid_stream_t *out_stream,
                                     const nereid_call_t *call) {
  if (!is_kind(object, "extension.stream", call))
    return NEREID_UNIMPLEMENTED;
  return extension_make_stream(state, device, object->handle, out_stream, call);
}

static nereid_status_t import_context(nereid_state_t *state, uint32_t device,
                                      const nereid_import_t *object,
                                      const nereid_call_t *call) {
  if (!is_kind(object, "extension.context", call))
    return NEREID_UNIMPLEMENTED;
  if (atomic_load(&state->in_use[device]))
    return extension_fail(call, NEREID_UNAVAILABLE,
                          "device %u is in use, and cannot import a context",
                          device);
  state->context[device] = object->handle;
  return NEREID_OK;
}

const nereid_interop_t extension_interop = {
    .struct_size = sizeof(nereid_interop_t),
    .import_pointer = import_pointer,
    .release_pointer = release_pointer,
    .import_stream = import_stream,
    .release_stream = extension_destroy_stream,
    .import_context = import_context,
};
