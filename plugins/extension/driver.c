// driver.c - the driver of the extension plugin: two devices that use host
// memory and complete work immediately.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "extension.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// [probe]
// ---------------------------------------------------------------- device
// A real device scores 100 and sets no flag. This one runs no kernels, so it is
// only used when it is named.
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

// ---------------------------------------------------------------- memory
// [memory]
static nereid_status_t allocate(nereid_state_t *state, uint32_t device,
                                const nereid_allocation_t *allocation,
                                nereid_address_t *out_address,
                                const nereid_call_t *call) {
  uint64_t size = allocation->size;
  uint64_t mask = (allocation->alignment ? allocation->alignment : 64) - 1;
  if (mask & (mask + 1))
    return extension_fail(call, NEREID_INVALID_ARGUMENT,
                          "the alignment is %llu, expected a power of two",
                          (unsigned long long)allocation->alignment);
  void *memory = NULL;
  if (size <= SIZE_MAX - mask)
    memory = aligned_alloc(mask + 1, (size + mask) & ~mask);
  if (!memory)
    return extension_fail(call, NEREID_OUT_OF_RESOURCES,
                          "no memory for %llu bytes", (unsigned long long)size);
  atomic_store(&state->in_use[device], 1);
  *out_address = (uintptr_t)memory;
  return NEREID_OK;
}

// The host calls this after the work that uses the memory has completed.
static nereid_status_t free_memory(nereid_state_t *state, uint32_t device,
                                   nereid_address_t address,
                                   const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)call;
  free((void *)(uintptr_t)address);
  return NEREID_OK;
}

static nereid_status_t copy(nereid_state_t *state, uint32_t device,
                            const nereid_copy_t *copy,
                            const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)call; // the direction is not needed: all memory is host memory
  if (copy->size)
    memcpy((void *)(uintptr_t)copy->destination,
           (const void *)(uintptr_t)copy->source, copy->size);
  return NEREID_OK;
}
// [/memory]

// [driver]
// ---------------------------------------------------------------- table
const nereid_driver_t extension_driver = {
    .struct_size = sizeof(nereid_driver_t),
    .probe = probe,
    .get_target = get_target,
    .visit_properties = visit_properties,
    .allocate = allocate,
    .free = free_memory,
    .copy = copy,
    .synchronize = extension_synchronize,
    .synchronize_device = extension_synchronize_device,
    .load_image = extension_load_image,
    .unload_module = extension_unload_module,
    .get_kernel = extension_get_kernel,
    .launch = extension_launch,
};
// [/driver]
