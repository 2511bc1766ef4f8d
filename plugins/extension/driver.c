// driver.c - the driver of the extension plugin: two devices whose memory is
// the host's and whose work is done when it is given.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "extension.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// [probe]
// ---------------------------------------------------------------- device
// A real device scores 100 and sets no flag. This one runs nothing, so it is
// for those who name it.
static nereid_status_t probe(nereid_state_t *state, nereid_probe_t *out_probe,
                             const nereid_writer_t *reason,
                             const nereid_call_t *call) {
  static const char text[] = "2 devices that record launches";
  (void)state;
  (void)call;
  out_probe->score = 1;
  out_probe->flags = NEREID_PROBE_BY_NAME_ONLY;
  out_probe->device_count = EXTENSION_DEVICE_COUNT;
  return reason->write(reason, text, sizeof(text) - 1);
}
// [/probe]

static nereid_status_t get_target(nereid_state_t *state, uint32_t device,
                                  nereid_target_t *out_target,
                                  const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)call;
  out_target->warp_size = 1;
  out_target->backend = (nereid_string_t)TEXT("extension");
  out_target->arch = (nereid_string_t)TEXT("record");
  return NEREID_OK;
}

static nereid_status_t visit_properties(nereid_state_t *state, uint32_t device,
                                        const nereid_value_sink_t *sink,
                                        const nereid_call_t *call) {
  (void)state;
  (void)call;
  const nereid_value_t facts[] = {
      {.name = TEXT("name"),
       .type = NEREID_TYPE_STRING,
       .text = device ? (nereid_string_t)TEXT("extension device 1")
                      : (nereid_string_t)TEXT("extension device 0")},
      {.name = TEXT("multiprocessor_count"), .type = NEREID_TYPE_I64, .i64 = 1},
      {.name = TEXT("max_shared_mem"), .type = NEREID_TYPE_I64, .i64 = 0},
      {.name = TEXT("max_num_regs"), .type = NEREID_TYPE_I64, .i64 = 0},
      {.name = TEXT("warp_size"), .type = NEREID_TYPE_I64, .i64 = 1},
      {.name = TEXT("max_threads"), .type = NEREID_TYPE_I64, .i64 = 64},
      {.name = TEXT("host_accessible"), .type = NEREID_TYPE_BOOL, .i64 = 1},
  };
  nereid_status_t status = NEREID_OK;
  for (uint32_t i = 0;
       status == NEREID_OK && i < sizeof(facts) / sizeof(*facts); ++i)
    status = sink->add(sink, &facts[i]);
  return status;
}

// ---------------------------------------------------------------- current
// A thread's own, in whatever host: what "current" means.
static _Thread_local uint32_t current_device;
static _Thread_local nereid_stream_t current_stream[EXTENSION_DEVICE_COUNT];

static nereid_status_t get_current_device(nereid_state_t *state,
                                          uint32_t *out_device,
                                          const nereid_call_t *call) {
  (void)state;
  (void)call;
  *out_device = current_device;
  return NEREID_OK;
}

static nereid_status_t set_current_device(nereid_state_t *state,
                                          uint32_t device,
                                          const nereid_call_t *call) {
  (void)state;
  (void)call;
  current_device = device;
  return NEREID_OK;
}

static nereid_status_t get_current_stream(nereid_state_t *state,
                                          uint32_t device,
                                          nereid_stream_t *out_stream,
                                          const nereid_call_t *call) {
  (void)state;
  (void)call;
  *out_stream = current_stream[device];
  return NEREID_OK;
}

static nereid_status_t set_current_stream(nereid_state_t *state,
                                          uint32_t device,
                                          nereid_stream_t stream,
                                          const nereid_call_t *call) {
  (void)state;
  (void)call;
  current_stream[device] = stream;
  return NEREID_OK;
}

// ---------------------------------------------------------------- streams
extension_stream_t *extension_stream(nereid_state_t *state, uint32_t device,
                                     nereid_stream_t stream) {
  return stream ? (extension_stream_t *)(uintptr_t)stream
                : &state->default_stream[device];
}

static nereid_status_t make_stream(nereid_state_t *state, uint32_t device,
                                   uint64_t handle, nereid_stream_t *out_stream,
                                   const nereid_call_t *call) {
  extension_stream_t *stream = calloc(1, sizeof(*stream));
  if (!stream)
    return extension_fail(call, NEREID_OUT_OF_RESOURCES, "out of memory");
  stream->handle = handle;
  atomic_store(&state->in_use[device], 1);
  *out_stream = (uintptr_t)stream;
  return NEREID_OK;
}

static nereid_status_t create_stream(nereid_state_t *state, uint32_t device,
                                     nereid_stream_t *out_stream,
                                     const nereid_call_t *call) {
  return make_stream(state, device, 0, out_stream, call);
}

static void destroy_stream(nereid_state_t *state, uint32_t device,
                           nereid_stream_t stream) {
  (void)state;
  if (current_stream[device] == stream)
    current_stream[device] = 0;
  free((void *)(uintptr_t)stream);
}

static nereid_status_t synchronize(nereid_state_t *state, uint32_t device,
                                   nereid_stream_t stream,
                                   const nereid_call_t *call) {
  extension_stream_t *it = extension_stream(state, device, stream);
  if (atomic_exchange(&it->failed, 0))
    return extension_fail(call, NEREID_DEVICE_FAULT,
                          "a kernel compiled with option 'fault' failed");
  return NEREID_OK;
}

// ---------------------------------------------------------------- memory
// [memory]
static nereid_status_t allocate(nereid_state_t *state, uint32_t device,
                                uint64_t size, nereid_address_t *out_address,
                                const nereid_call_t *call) {
  void *memory = NULL;
  if (size && size <= SIZE_MAX - 63)
    memory = aligned_alloc(64, (size + 63) & ~UINT64_C(63));
  if (size && !memory)
    return extension_fail(call, NEREID_OUT_OF_RESOURCES,
                          "no memory for %llu bytes", (unsigned long long)size);
  atomic_store(&state->in_use[device], 1);
  *out_address = (uintptr_t)memory;
  return NEREID_OK;
}

static void free_memory(nereid_state_t *state, uint32_t device,
                        nereid_address_t address) {
  (void)state;
  (void)device;
  free((void *)(uintptr_t)address);
}

static nereid_status_t copy(nereid_state_t *state, uint32_t device,
                            nereid_stream_t stream, nereid_copy_t direction,
                            nereid_address_t destination,
                            nereid_address_t source, uint64_t size,
                            const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)stream;
  (void)direction; // all memory is the host's
  (void)call;
  if (size)
    memcpy((void *)(uintptr_t)destination, (const void *)(uintptr_t)source,
           size);
  return NEREID_OK;
}
// [/memory]

static nereid_status_t fill(nereid_state_t *state, uint32_t device,
                            nereid_stream_t stream,
                            nereid_address_t destination, const void *pattern,
                            uint32_t pattern_size, uint64_t count,
                            const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)stream;
  (void)call;
  char *at = (char *)(uintptr_t)destination;
  for (uint64_t i = 0; i < count; ++i, at += pattern_size)
    memcpy(at, pattern, pattern_size);
  return NEREID_OK;
}

// ---------------------------------------------------------------- adoption
static nereid_status_t unknown_kind(nereid_string_t kind, const char *expected,
                                    const nereid_call_t *call) {
  return extension_fail(call, NEREID_UNIMPLEMENTED,
                        "cannot adopt a '%.*s', expected a '%s'",
                        (int)kind.size, kind.data, expected);
}

static nereid_status_t adopt_pointer(nereid_state_t *state, uint32_t device,
                                     nereid_string_t kind, uint64_t handle,
                                     uint64_t size,
                                     nereid_address_t *out_address,
                                     const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)size;
  if (!extension_equal(kind, "host.pointer"))
    return unknown_kind(kind, "host.pointer", call);
  *out_address = handle;
  return NEREID_OK;
}

static nereid_status_t adopt_stream(nereid_state_t *state, uint32_t device,
                                    nereid_string_t kind, uint64_t handle,
                                    nereid_stream_t *out_stream,
                                    const nereid_call_t *call) {
  if (!extension_equal(kind, "extension.stream"))
    return unknown_kind(kind, "extension.stream", call);
  return make_stream(state, device, handle, out_stream, call);
}

static nereid_status_t adopt_context(nereid_state_t *state, uint32_t device,
                                     nereid_string_t kind, uint64_t handle,
                                     const nereid_call_t *call) {
  if (!extension_equal(kind, "extension.context"))
    return unknown_kind(kind, "extension.context", call);
  if (atomic_load(&state->in_use[device]))
    return extension_fail(call, NEREID_UNAVAILABLE,
                          "device %u is in use, and cannot adopt a context",
                          device);
  state->context[device] = handle;
  return NEREID_OK;
}

// ---------------------------------------------------------------- events
struct nereid_event_t {
  struct timespec time;
  uint32_t recorded;
};

static nereid_status_t create_event(nereid_state_t *state, uint32_t device,
                                    nereid_event_t **out_event,
                                    const nereid_call_t *call) {
  (void)state;
  (void)device;
  nereid_event_t *event = calloc(1, sizeof(*event));
  if (!event)
    return extension_fail(call, NEREID_OUT_OF_RESOURCES, "out of memory");
  *out_event = event;
  return NEREID_OK;
}

static void destroy_event(nereid_state_t *state, nereid_event_t *event) {
  (void)state;
  free(event);
}

static nereid_status_t record_event(nereid_state_t *state,
                                    nereid_event_t *event,
                                    nereid_stream_t stream,
                                    const nereid_call_t *call) {
  (void)state;
  (void)stream;
  (void)call;
  timespec_get(&event->time, TIME_UTC);
  event->recorded = 1;
  return NEREID_OK;
}

static nereid_status_t elapsed(nereid_state_t *state, nereid_event_t *start,
                               nereid_event_t *end, double *out_nanoseconds,
                               const nereid_call_t *call) {
  (void)state;
  if (!start->recorded || !end->recorded)
    return extension_fail(call, NEREID_INVALID_ARGUMENT,
                          "an event was not recorded");
  *out_nanoseconds = (double)(end->time.tv_sec - start->time.tv_sec) * 1e9 +
                     (double)(end->time.tv_nsec - start->time.tv_nsec);
  return NEREID_OK;
}

// ---------------------------------------------------------------- table
// flush_cache is left out: there is no cache between here and the memory.
const nereid_driver_t extension_driver = {
    .struct_size = sizeof(nereid_driver_t),
    .probe = probe,
    .get_target = get_target,
    .get_current_device = get_current_device,
    .set_current_device = set_current_device,
    .get_current_stream = get_current_stream,
    .set_current_stream = set_current_stream,
    .create_stream = create_stream,
    .destroy_stream = destroy_stream,
    .synchronize = synchronize,
    .visit_properties = visit_properties,
    .allocate = allocate,
    .free = free_memory,
    .copy = copy,
    .fill = fill,
    .adopt_pointer = adopt_pointer,
    .adopt_stream = adopt_stream,
    .release_stream = destroy_stream,
    .adopt_context = adopt_context,
    .load_image = extension_load_image,
    .unload_module = extension_unload_module,
    .get_kernel = extension_get_kernel,
    .launch = extension_launch,
    .create_event = create_event,
    .destroy_event = destroy_event,
    .record_event = record_event,
    .elapsed = elapsed,
};
