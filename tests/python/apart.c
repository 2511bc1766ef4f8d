// apart.c - a device whose memory is not the host's, to test what the Python
// package does about it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// An address of the device is a pointer with one bit more: no use on the host.
// Whatever is compiled, the kernel takes (*f32 x, *f32 out, i32 n)
// and doubles n numbers.

#include <nereid/plugin.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(literal) {literal, sizeof(literal) - 1}

#define DEVICE_BIT ((nereid_address_t)1 << 62)

static void *pointer(nereid_address_t address) {
  return (void *)(uintptr_t)(address & ~DEVICE_BIT);
}

// ---------------------------------------------------------------- compiler
static nereid_status_t score_target(nereid_state_t *state,
                                    const nereid_target_t *target,
                                    int32_t *out_score,
                                    const nereid_call_t *call) {
  (void)state;
  (void)call;
  nereid_string_t type = target->backend;
  *out_score = type.size == 5 && memcmp(type.data, "apart", 5) == 0 ? 100 : 0;
  return NEREID_OK;
}

static nereid_status_t
parse_options(nereid_state_t *state, const nereid_target_t *target,
              const nereid_value_t *values, uint64_t count,
              const nereid_writer_t *canonical, nereid_options_t **out_options,
              const nereid_call_t *call) {
  (void)state;
  (void)target;
  (void)values;
  (void)count;
  (void)canonical;
  (void)call;
  *out_options = NULL;
  return NEREID_OK;
}

static void destroy_options(nereid_state_t *state, nereid_options_t *options) {
  (void)state;
  (void)options;
}

static nereid_status_t visit_stages(nereid_state_t *state,
                                    const nereid_options_t *options,
                                    const nereid_stage_sink_t *sink,
                                    const nereid_call_t *call) {
  (void)state;
  (void)options;
  (void)call;
  const nereid_stage_t stage = {.struct_size = sizeof(stage),
                                .flags = NEREID_STAGE_MAKES_IMAGE,
                                .name = TEXT("image"),
                                .input_kind = TEXT("ttir"),
                                .output_kind = TEXT("apart.image"),
                                .extension = TEXT("apart")};
  return sink->add(sink, &stage);
}

static nereid_status_t
run_stage(nereid_state_t *state, const nereid_options_t *options,
          nereid_session_t *session, uint32_t index, nereid_bytes_t input,
          const nereid_writer_t *output, const nereid_value_sink_t *metadata,
          const nereid_call_t *call) {
  static const nereid_string_t types[] = {TEXT("*f32"), TEXT("*f32"),
                                          TEXT("i32")};
  const nereid_value_t facts[] = {
      {.name = TEXT("name"),
       .type = NEREID_TYPE_STRING,
       .text = TEXT("double")},
      {.name = TEXT("argument_types"),
       .type = NEREID_TYPE_STRING_LIST,
       .list = types,
       .list_size = 3}};
  (void)state;
  (void)options;
  (void)session;
  (void)index;
  (void)input;
  (void)call;
  for (uint32_t i = 0; i < 2; ++i)
    if (metadata->add(metadata, &facts[i]) != NEREID_OK)
      return NEREID_INTERNAL;
  return output->write(output, "image", 5);
}

// ---------------------------------------------------------------- driver
static nereid_status_t probe(nereid_state_t *state, nereid_probe_t *out_probe,
                             const nereid_writer_t *reason,
                             const nereid_call_t *call) {
  (void)state;
  (void)call;
  out_probe->score = 100;
  out_probe->device_count = 1;
  return reason->write(reason, "always here", 11);
}

static nereid_status_t get_target(nereid_state_t *state, uint32_t device,
                                  nereid_target_t *out_target,
                                  const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)call;
  out_target->warp_size = 32;
  out_target->backend = (nereid_string_t)TEXT("apart");
  out_target->arch = (nereid_string_t)TEXT("one");
  return NEREID_OK;
}

static nereid_status_t synchronize(nereid_state_t *state, uint32_t device,
                                   nereid_stream_t stream,
                                   const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)stream;
  (void)call;
  return NEREID_OK;
}

static nereid_status_t visit_properties(nereid_state_t *state, uint32_t device,
                                        const nereid_value_sink_t *sink,
                                        const nereid_call_t *call) {
  const nereid_value_t shared = {.name = TEXT("max_shared_mem"),
                                 .type = NEREID_TYPE_I64,
                                 .i64 = 1024};
  (void)state;
  (void)device;
  (void)call;
  return sink->add(sink, &shared);
}

static nereid_status_t allocate(nereid_state_t *state, uint32_t device,
                                uint64_t size, nereid_address_t *out_address,
                                const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)call;
  void *memory = size ? aligned_alloc(64, (size + 63) / 64 * 64) : NULL;
  if (size && !memory)
    return NEREID_OUT_OF_RESOURCES;
  *out_address = size ? (uintptr_t)memory | DEVICE_BIT : 0;
  return NEREID_OK;
}

static void release(nereid_state_t *state, uint32_t device,
                    nereid_address_t address) {
  (void)state;
  (void)device;
  if (address)
    free(pointer(address));
}

static nereid_status_t copy(nereid_state_t *state, uint32_t device,
                            nereid_stream_t stream, nereid_copy_t direction,
                            nereid_address_t destination,
                            nereid_address_t source, uint64_t size,
                            const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)stream;
  (void)call;
  void *to = direction == NEREID_COPY_DEVICE_TO_HOST
                 ? (void *)(uintptr_t)destination
                 : pointer(destination);
  void *from = direction == NEREID_COPY_HOST_TO_DEVICE
                   ? (void *)(uintptr_t)source
                   : pointer(source);
  if (size)
    memcpy(to, from, size);
  return NEREID_OK;
}

static int32_t the_kernel; // modules and kernels are its address

static nereid_status_t load_image(nereid_state_t *state, uint32_t device,
                                  nereid_bytes_t image, nereid_string_t path,
                                  const nereid_value_t *metadata,
                                  uint64_t metadata_count,
                                  nereid_module_t **out_module,
                                  const nereid_call_t *call) {
  (void)state;
  (void)device;
  (void)path;
  (void)metadata;
  (void)metadata_count;
  (void)call;
  if (image.size != 5)
    return NEREID_INCOMPATIBLE;
  *out_module = (nereid_module_t *)&the_kernel;
  return NEREID_OK;
}

static void unload_module(nereid_state_t *state, nereid_module_t *module) {
  (void)state;
  (void)module;
}

static nereid_status_t get_kernel(nereid_state_t *state,
                                  nereid_module_t *module, nereid_string_t name,
                                  nereid_kernel_t **out_kernel,
                                  nereid_kernel_info_t *out_info,
                                  const nereid_call_t *call) {
  (void)state;
  (void)name;
  (void)out_info;
  (void)call;
  *out_kernel = (nereid_kernel_t *)module;
  return NEREID_OK;
}

static nereid_status_t launch(nereid_kernel_t *kernel,
                              const nereid_launch_t *launch,
                              const nereid_call_t *call) {
  struct {
    nereid_address_t x, out;
    int32_t n;
  } arguments;
  (void)kernel;
  (void)call;
  memcpy(&arguments, launch->arguments, sizeof(arguments));
  const float *x = pointer(arguments.x);
  float *out = pointer(arguments.out);
  for (int32_t i = 0; i < arguments.n; ++i)
    out[i] = 2 * x[i];
  return NEREID_OK;
}

// ---------------------------------------------------------------- entry
static const nereid_compiler_t compiler = {
    .struct_size = sizeof(nereid_compiler_t),
    .score_target = score_target,
    .parse_options = parse_options,
    .destroy_options = destroy_options,
    .visit_stages = visit_stages,
    .run_stage = run_stage,
};

static const nereid_driver_t driver = {
    .struct_size = sizeof(nereid_driver_t),
    .probe = probe,
    .get_target = get_target,
    .synchronize = synchronize,
    .visit_properties = visit_properties,
    .allocate = allocate,
    .free = release,
    .copy = copy,
    .load_image = load_image,
    .unload_module = unload_module,
    .get_kernel = get_kernel,
    .launch = launch,
};

static const nereid_plugin_t plugin = {
    .struct_size = sizeof(nereid_plugin_t),
    .abi_minor = NEREID_ABI_MINOR,
    .id = TEXT(NEREID_PLUGIN_ID),
    .device_type = TEXT("apart"),
    .version = TEXT(NEREID_PLUGIN_VERSION),
    .description = TEXT("a device with memory of its own"),
    .compiler = &compiler,
    .driver = &driver,
};

nereid_status_t nereid_plugin_entry_1(const nereid_host_t *host,
                                      const nereid_plugin_t **out_plugin,
                                      const nereid_call_t *call) {
  (void)host;
  (void)call;
  *out_plugin = &plugin;
  return NEREID_OK;
}
