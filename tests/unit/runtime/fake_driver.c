// fake_driver.c - the driver of the plugin that tests register in process. Its
// device is the host's memory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "fake_state.h"
#include "idle_driver.h"

#include <stdlib.h>
#include <string.h>

static nereid_status_t probe(nereid_state_t *state, nereid_probe_t *out_probe,
                             const nereid_writer_t *reason,
                             const nereid_call_t *call) {
  (void)state, (void)call;
  out_probe->score = 100;
  out_probe->device_count = 1;
  return reason->write(reason, "1 device", 8);
}

static nereid_status_t get_target(nereid_state_t *state, uint32_t device,
                                  nereid_target_t *out_target,
                                  const nereid_call_t *call) {
  (void)state, (void)device, (void)call;
  out_target->warp_size = 1;
  out_target->backend = (nereid_string_t){"fake", 4};
  out_target->arch = (nereid_string_t){"f1", 2};
  return NEREID_OK;
}

static nereid_status_t visit_properties(nereid_state_t *state, uint32_t device,
                                        const nereid_value_sink_t *sink,
                                        const nereid_call_t *call) {
  static const int64_t limits[] = {1000000, 65535, 65535};
  nereid_value_t name = {0}, grid = {0};
  (void)state, (void)device, (void)call;
  name.name = (nereid_string_t){"name", 4};
  name.type = NEREID_TYPE_STRING;
  name.text = (nereid_string_t){"the fake", 8};
  grid.name = (nereid_string_t){"max_grid", 8};
  grid.type = NEREID_TYPE_I64_LIST;
  grid.list = limits;
  grid.list_size = 3;
  nereid_status_t status = sink->add(sink, &name);
  return status ? status : sink->add(sink, &grid);
}

static nereid_status_t allocate(nereid_state_t *state, uint32_t device,
                                const nereid_allocation_t *allocation,
                                nereid_address_t *out_address,
                                const nereid_call_t *call) {
  (void)state, (void)device;
  void *memory = aligned_alloc(64, (allocation->size + 63) / 64 * 64);
  if (!memory) {
    fake_report(call, "no memory");
    return NEREID_OUT_OF_RESOURCES;
  }
  *out_address = (nereid_address_t)(uintptr_t)memory;
  return NEREID_OK;
}

static nereid_status_t free_memory(nereid_state_t *state, uint32_t device,
                                   nereid_address_t address,
                                   const nereid_call_t *call) {
  (void)state, (void)device, (void)call;
  free((void *)(uintptr_t)address);
  return NEREID_OK;
}

static nereid_status_t copy(nereid_state_t *state, uint32_t device,
                            const nereid_copy_t *what,
                            const nereid_call_t *call) {
  (void)state, (void)device, (void)call;
  memcpy((void *)(uintptr_t)what->destination,
         (const void *)(uintptr_t)what->source, what->size);
  return NEREID_OK;
}

struct nereid_module_t {
  uint64_t image_size;
};

static nereid_status_t load_image(nereid_state_t *state, uint32_t device,
                                  const nereid_image_t *image,
                                  nereid_module_t **out_module,
                                  const nereid_call_t *call) {
  (void)state, (void)device;
  const nereid_bytes_t bytes = image->bytes;
  if (bytes.size < 7 || memcmp(bytes.data, "packed ", 7) != 0) {
    fake_report(call, "this is not an image of the fake driver");
    return NEREID_INVALID_ARGUMENT;
  }
  if (fake_state.no_module)
    return NEREID_OK;
  *out_module = malloc(sizeof **out_module);
  if (!*out_module)
    return NEREID_OUT_OF_RESOURCES;
  (*out_module)->image_size = bytes.size;
  fake_count(&fake_state.loads);
  return NEREID_OK;
}

static nereid_status_t unload_module(nereid_state_t *state,
                                     nereid_module_t *module,
                                     const nereid_call_t *call) {
  (void)state, (void)call;
  if (module)
    fake_count(&fake_state.unloads);
  free(module);
  return NEREID_OK;
}

static nereid_status_t get_kernel(nereid_state_t *state,
                                  nereid_module_t *module, nereid_string_t name,
                                  nereid_kernel_t **out_kernel,
                                  nereid_kernel_info_t *out_info,
                                  const nereid_call_t *call) {
  (void)state, (void)name, (void)call;
  *out_kernel = fake_state.no_kernel ? NULL : (nereid_kernel_t *)module;
  if (out_info) {
    out_info->registers = 7;
    uint32_t resident = fake_state.resident_programs;
    if (resident && NEREID_HAS(out_info, resident_programs))
      out_info->resident_programs = resident;
  }
  return NEREID_OK;
}

static void store_argument(const void *block) {
  uint64_t address;
  int32_t value;
  memcpy(&address, block, sizeof address);
  memcpy(&value, (const char *)block + 8, sizeof value);
  if (address)
    *(float *)(uintptr_t)address = (float)value;
}

static nereid_status_t launch(nereid_kernel_t *kernel,
                              const nereid_launch_t *launch,
                              const nereid_call_t *call) {
  (void)kernel;
  int status =
      atomic_load_explicit(&fake_state.launch_status, memory_order_relaxed);
  if (status) {
    if (fake_state.launch_reason)
      fake_report(call, "the device is on fire");
    return status;
  }
  fake_count(&fake_state.launches);
  for (int i = 0; i < 3; ++i)
    atomic_store_explicit(&fake_state.grid[i], launch->grid[i],
                          memory_order_relaxed);
  atomic_store_explicit(&fake_state.stream, launch->stream,
                        memory_order_relaxed);
  atomic_store_explicit(&fake_state.arguments_size, launch->arguments_size,
                        memory_order_relaxed);
  store_argument(launch->arguments);
  return NEREID_OK;
}

const nereid_driver_t fake_driver = {.struct_size = sizeof fake_driver,
                                     .probe = probe,
                                     .get_target = get_target,
                                     .synchronize = idle_synchronize,
                                     .synchronize_device =
                                         idle_synchronize_device,
                                     .visit_properties = visit_properties,
                                     .allocate = allocate,
                                     .free = free_memory,
                                     .copy = copy,
                                     .load_image = load_image,
                                     .unload_module = unload_module,
                                     .get_kernel = get_kernel,
                                     .launch = launch};

fake_launch_t fake_last_launch(void) {
  fake_launch_t last = {
      {fake_state.grid[0], fake_state.grid[1], fake_state.grid[2]},
      fake_state.stream,
      fake_state.arguments_size};
  return last;
}

void fake_fail_launches(nereid_status_t status, int32_t with_reason) {
  fake_state.launch_status = status;
  fake_state.launch_reason = with_reason;
}

void fake_withhold(int32_t module, int32_t kernel) {
  fake_state.no_module = module;
  fake_state.no_kernel = kernel;
}

void fake_set_resident_programs(uint32_t count) {
  fake_state.resident_programs = count;
}

fake_counts_t fake_counts(void) {
  fake_counts_t counts = {
      fake_state.stages,   fake_state.begins,   fake_state.ends,
      fake_state.parses,   fake_state.destroys, fake_state.loads,
      fake_state.unloads,  fake_state.launches, fake_state.bytes_not_wanted,
      fake_state.shutdowns};
  return counts;
}

void fake_reset(void) {
  fake_counter_t *counters[] = {
      &fake_state.stages,   &fake_state.begins,   &fake_state.ends,
      &fake_state.parses,   &fake_state.destroys, &fake_state.loads,
      &fake_state.unloads,  &fake_state.launches, &fake_state.bytes_not_wanted,
      &fake_state.shutdowns};
  for (size_t i = 0; i < sizeof counters / sizeof *counters; ++i)
    *counters[i] = 0;
  fake_fail_launches(NEREID_OK, 0);
  fake_set_resident_programs(0);
  fake_withhold(0, 0);
  fake_set_dependencies("");
}
