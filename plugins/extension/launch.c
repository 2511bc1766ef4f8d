// launch.c - loads images and records launches.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "extension.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- modules
struct nereid_kernel_t {
  nereid_state_t *state;
  uint32_t device;
  extension_image_t image; // its name points into the module
};

// An image has one kernel. The module copies the image, because the bytes that
// the host passes are borrowed for the call.
struct nereid_module_t {
  nereid_kernel_t kernel;
  unsigned char bytes[];
};

// [load]
nereid_status_t extension_load_image(nereid_state_t *state, uint32_t device,
                                     const nereid_image_t *image,
                                     nereid_module_t **out_module,
                                     const nereid_call_t *call) {
  const nereid_bytes_t bytes = image->bytes; // its path is not needed
  extension_image_t read;
  nereid_status_t status = extension_image_read(bytes, &read, call);
  if (status != NEREID_OK)
    return status;
  if (read.fault == EXTENSION_FAULT_LOAD)
    return extension_fail(call, NEREID_OUT_OF_RESOURCES,
                          "option 'fault' asked this image not to load");
  nereid_module_t *module = malloc(sizeof(*module) + bytes.size);
  if (!module)
    return extension_fail(call, NEREID_OUT_OF_RESOURCES, "out of memory");
  memcpy(module->bytes, bytes.data, bytes.size);
  module->kernel.state = state;
  module->kernel.device = device;
  module->kernel.image = read;
  module->kernel.image.name.data =
      (const char *)module->bytes + (read.name.data - (const char *)bytes.data);
  atomic_store(&state->in_use[device], 1);
  *out_module = module;
  return NEREID_OK;
}

nereid_status_t extension_unload_module(nereid_state_t *state,
                                        nereid_module_t *module,
                                        const nereid_call_t *call) {
  (void)state;
  (void)call;
  free(module);
  return NEREID_OK;
}
// [/load]

nereid_status_t extension_get_kernel(nereid_state_t *state,
                                     nereid_module_t *module,
                                     nereid_string_t name,
                                     nereid_kernel_t **out_kernel,
                                     nereid_kernel_info_t *out_info,
                                     const nereid_call_t *call) {
  (void)state;
  const extension_image_t *image = &module->kernel.image;
  if (name.size != image->name.size ||
      memcmp(name.data, image->name.data, name.size) != 0)
    return extension_fail(call, NEREID_NOT_FOUND,
                          "no kernel '%.*s' in the image, which has '%.*s'",
                          (int)name.size, name.data, (int)image->name.size,
                          image->name.data);
  if (out_info) {
    out_info->registers = 0;
    out_info->spills = 0;
    out_info->max_threads = (int32_t)image->warps;
    out_info->shared = 0;
  }
  *out_kernel = &module->kernel;
  return NEREID_OK;
}

// ---------------------------------------------------------------- launch
static void keep(nereid_kernel_t *kernel, const extension_stream_t *stream,
                 const nereid_launch_t *launch) {
  extension_ring_t *ring = &kernel->state->ring;
  uint64_t index =
      atomic_fetch_add_explicit(&ring->count, 1, memory_order_relaxed);
  uint32_t place = index % NEREID_EXTENSION_KEPT;
  nereid_extension_launch_t *kept = &ring->entries[place].launch;
  uint64_t size = launch->arguments_size;
  if (size > NEREID_EXTENSION_KEPT_ARGUMENTS)
    size = NEREID_EXTENSION_KEPT_ARGUMENTS;
  if (size)
    memcpy(ring->entries[place].arguments, launch->arguments, size);
  memcpy(kept->grid, launch->grid, sizeof(kept->grid));
  kept->device = kernel->device;
  kept->stream = launch->stream;
  kept->stream_handle = stream->handle;
  kept->arguments_size = launch->arguments_size;
  kept->kernel = kernel->image.name;
  kept->flags = launch->flags;
  memcpy(kept->cluster, launch->cluster, sizeof(kept->cluster));
  kept->scratch = launch->scratch;
  kept->scratch_size = launch->scratch_size;
  kept->arguments.data = ring->entries[place].arguments;
  kept->arguments.size = size;
}

// [launch]
nereid_status_t extension_launch(nereid_kernel_t *kernel,
                                 const nereid_launch_t *launch,
                                 const nereid_call_t *call) {
  const extension_image_t *image = &kernel->image;
  if (launch->arguments_size != image->argument_size)
    return extension_fail(call, NEREID_INVALID_ARGUMENT,
                          "the argument block has %llu bytes, expected %u",
                          (unsigned long long)launch->arguments_size,
                          image->argument_size);
  extension_stream_t *stream =
      &kernel->state->streams[kernel->device][launch->stream];
  if (image->fault == EXTENSION_FAULT_LAUNCH)
    return extension_fail(call, NEREID_DEVICE_FAULT,
                          "option 'fault' asked this launch to fail");
  keep(kernel, stream, launch);
  if (image->fault == EXTENSION_FAULT_SYNCHRONIZE)
    atomic_store(&stream->failed, 1);
  return NEREID_OK;
}
// [/launch]

// ---------------------------------------------------------------- record
static uint64_t record_count(nereid_state_t *state) {
  return atomic_load(&state->ring.count);
}

static nereid_status_t record_get(nereid_state_t *state, uint64_t index,
                                  nereid_extension_launch_t *out_launch) {
  uint64_t count = atomic_load(&state->ring.count);
  if (index >= count || count - index > NEREID_EXTENSION_KEPT)
    return NEREID_NOT_FOUND;
  uint32_t size = out_launch->struct_size;
  *out_launch = state->ring.entries[index % NEREID_EXTENSION_KEPT].launch;
  out_launch->struct_size = size;
  return NEREID_OK;
}

const nereid_extension_record_t extension_record = {
    .struct_size = sizeof(nereid_extension_record_t),
    .count = record_count,
    .get = record_get,
};
