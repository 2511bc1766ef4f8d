// driver.c - the driver of the asynchronous plugin: two different devices,
// images and launches.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "asynchronous.h"

#include <stdlib.h>
#include <string.h>

// [traits]
// ---------------------------------------------------------------- devices
const device_traits_t device_traits[DEVICE_COUNT] = {
    {.arch = TEXT("a1"),
     .features = TEXT("f64"),
     .name = TEXT("asynchronous device 1"),
     .warp_size = 4,
     .has_f64 = 1,
     .max_lanes = 16384,
     .memory = UINT64_C(64) << 20,
     .shared = 16384},
    {.arch = TEXT("a2"),
     .name = TEXT("asynchronous device 2"),
     .warp_size = 8,
     .max_lanes = 4096,
     .memory = UINT64_C(16) << 20,
     .shared = 8192},
};
// [/traits]

uint32_t find_arch(nereid_string_t arch) {
  uint32_t i = 0;
  while (i < DEVICE_COUNT && !is_equal(arch, device_traits[i].arch.data))
    ++i;
  return i;
}

// [probe]
// A real device scores 100 and sets no flag. This one is an interpreter, so it
// is only used when it is named. `probe` starts no thread: every program that
// lists devices calls it.
static nereid_status_t probe(nereid_state_t *state, nereid_probe_t *out_probe,
                             const nereid_writer_t *reason,
                             const nereid_call_t *call) {
  static const char text[] = "2 devices that interpret kernels on threads";
  (void)state;
  (void)call;
  out_probe->score = 1;
  out_probe->flags = NEREID_PROBE_BY_NAME_ONLY;
  out_probe->device_count = DEVICE_COUNT;
  return reason->write(reason, text, sizeof(text) - 1);
}

// The strings are static, so they live until shutdown.
static nereid_status_t get_target(nereid_state_t *state, uint32_t device,
                                  nereid_target_t *out_target,
                                  const nereid_call_t *call) {
  (void)state;
  (void)call;
  out_target->warp_size = device_traits[device].warp_size;
  out_target->backend = (nereid_string_t)TEXT("asynchronous");
  out_target->arch = device_traits[device].arch;
  out_target->features = device_traits[device].features;
  return NEREID_OK;
}
// [/probe]

// [properties]
static nereid_status_t visit_properties(nereid_state_t *state, uint32_t device,
                                        const nereid_value_sink_t *sink,
                                        const nereid_call_t *call) {
  (void)state;
  (void)call;
  static const int64_t max_grid[] = {1 << 20, 65535, 65535};
  const device_traits_t *traits = &device_traits[device];
  const nereid_value_t facts[] = {
      {.name = TEXT("name"), .type = NEREID_TYPE_STRING, .text = traits->name},
      {.name = TEXT("multiprocessor_count"), .type = NEREID_TYPE_I64, .i64 = 1},
      {.name = TEXT("max_shared_mem"),
       .type = NEREID_TYPE_I64,
       .i64 = traits->shared},
      {.name = TEXT("max_num_regs"), .type = NEREID_TYPE_I64, .i64 = 0},
      {.name = TEXT("warp_size"),
       .type = NEREID_TYPE_I64,
       .i64 = traits->warp_size},
      {.name = TEXT("max_threads"),
       .type = NEREID_TYPE_I64,
       .i64 = 8 * traits->warp_size},
      {.name = TEXT("max_grid"),
       .type = NEREID_TYPE_I64_LIST,
       .list = max_grid,
       .list_size = 3},
      {.name = TEXT("memory_bytes"),
       .type = NEREID_TYPE_I64,
       .i64 = (int64_t)traits->memory},
      {.name = TEXT("host_accessible"), .type = NEREID_TYPE_BOOL, .i64 = 0},
  };
  nereid_status_t status = NEREID_OK;
  for (uint32_t i = 0;
       status == NEREID_OK && i < sizeof(facts) / sizeof(*facts); ++i)
    status = sink->add(sink, &facts[i]);
  return status;
}
// [/properties]

// [driver_synchronize]
static nereid_status_t synchronize(nereid_state_t *state, uint32_t device,
                                   nereid_stream_t stream,
                                   const nereid_call_t *call) {
  stream_t *found = find_stream(state, device, stream, call);
  return found ? stream_synchronize(found, call) : NEREID_INVALID_ARGUMENT;
}

// Waits for every stream and reports every failure; returns the first status.
static nereid_status_t synchronize_device(nereid_state_t *state,
                                          uint32_t device,
                                          const nereid_call_t *call) {
  nereid_status_t result = NEREID_OK;
  for (uint32_t i = 0; i < STREAM_COUNT; ++i) {
    nereid_status_t status =
        stream_synchronize(&state->streams[device][i], call);
    if (result == NEREID_OK)
      result = status;
  }
  return result;
}
// [/driver_synchronize]

// ---------------------------------------------------------------- modules
// An image has one kernel.
struct nereid_module_t {
  nereid_kernel_t kernel;
};

// [load]
static nereid_status_t load_image(nereid_state_t *state, uint32_t device,
                                  const nereid_image_t *image,
                                  nereid_module_t **out_module,
                                  const nereid_call_t *call) {
  program_t *program = NULL;
  nereid_status_t status = program_read(image->bytes, &program, call);
  if (status != NEREID_OK)
    return status;
  if (program->arch != device)
    status = fail(call, NEREID_INCOMPATIBLE,
                  "the image is for architecture '%s', device %u is an '%s'",
                  device_traits[program->arch].arch.data, device,
                  device_traits[device].arch.data);
  nereid_module_t *module =
      status == NEREID_OK ? malloc(sizeof(*module)) : NULL;
  if (status == NEREID_OK && !module)
    status = fail(call, NEREID_OUT_OF_RESOURCES, "out of memory");
  if (status != NEREID_OK) {
    program_destroy(program);
    return status;
  }
  module->kernel.state = state;
  module->kernel.device = device;
  module->kernel.program = program;
  module->kernel.arguments_size =
      program_argument_offset(program, program->argument_count);
  *out_module = module;
  return NEREID_OK;
}

static nereid_status_t unload_module(nereid_state_t *state,
                                     nereid_module_t *module,
                                     const nereid_call_t *call) {
  (void)state;
  (void)call;
  if (module)
    program_destroy(module->kernel.program);
  free(module);
  return NEREID_OK;
}
// [/load]

static nereid_status_t get_kernel(nereid_state_t *state,
                                  nereid_module_t *module, nereid_string_t name,
                                  nereid_kernel_t **out_kernel,
                                  nereid_kernel_info_t *out_info,
                                  const nereid_call_t *call) {
  (void)state;
  const program_t *program = module->kernel.program;
  if (name.size != program->name.size ||
      memcmp(name.data, program->name.data, name.size) != 0)
    return fail(call, NEREID_NOT_FOUND,
                "no kernel '%.*s' in the image, which has '%.*s'",
                (int)name.size, name.data, (int)program->name.size,
                program->name.data);
  if (out_info) {
    out_info->registers = -1;
    out_info->spills = 0;
    out_info->max_threads = (int32_t)program->warps *
                            device_traits[module->kernel.device].warp_size;
    out_info->shared = 0;
  }
  *out_kernel = &module->kernel;
  return NEREID_OK;
}

// [launch]
// ---------------------------------------------------------------- launch
// The programs of a launch run one after another, so cooperative launches are
// refused.
static nereid_status_t check_launch(const nereid_kernel_t *kernel,
                                    const nereid_launch_t *launch,
                                    const nereid_call_t *call) {
  if (launch->arguments_size != kernel->arguments_size)
    return fail(call, NEREID_INVALID_ARGUMENT,
                "the argument block has %llu bytes, expected %u",
                (unsigned long long)launch->arguments_size,
                kernel->arguments_size);
  if ((uintptr_t)launch->arguments % 64)
    return fail(call, NEREID_INVALID_ARGUMENT,
                "the argument block is not aligned to 64 bytes");
  if (launch->flags & NEREID_LAUNCH_COOPERATIVE)
    return fail(call, NEREID_UNIMPLEMENTED,
                "the programs of a launch do not run at the same time here");
  for (uint32_t i = 0; i < 3; ++i)
    if (launch->cluster[i] > 1)
      return fail(call, NEREID_UNIMPLEMENTED,
                  "the device has no clusters of programs");
  return NEREID_OK;
}

// The block is borrowed for the call, so the queue holds a copy.
static nereid_status_t launch(nereid_kernel_t *kernel,
                              const nereid_launch_t *launch,
                              const nereid_call_t *call) {
  nereid_status_t status = check_launch(kernel, launch, call);
  stream_t *stream =
      status == NEREID_OK
          ? find_stream(kernel->state, kernel->device, launch->stream, call)
          : NULL;
  if (!stream)
    return status == NEREID_OK ? NEREID_INVALID_ARGUMENT : status;
  work_t work = {.kind = WORK_LAUNCH, .launch = {.kernel = kernel}};
  memcpy(work.launch.grid, launch->grid, sizeof(launch->grid));
  if (launch->arguments_size)
    memcpy(work.launch.arguments, launch->arguments, launch->arguments_size);
  return stream_submit(stream, &work, NULL, call);
}
// [/launch]

// [driver]
const nereid_driver_t asynchronous_driver = {
    .struct_size = sizeof(nereid_driver_t),
    .probe = probe,
    .get_target = get_target,
    .visit_properties = visit_properties,
    .allocate = memory_allocate,
    .free = memory_free,
    .copy = memory_copy,
    .synchronize = synchronize,
    .synchronize_device = synchronize_device,
    .load_image = load_image,
    .unload_module = unload_module,
    .get_kernel = get_kernel,
    .launch = launch,
};
// [/driver]
