// nereid/host/function.h - a kernel that is ready to be launched.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_INCLUDE_HOST_FUNCTION_H
#define NEREID_INCLUDE_HOST_FUNCTION_H

#include "nereid/host/compile.h"

#ifdef __cplusplus
extern "C" {
#endif

// Loads a compiled image on `device` and finds its kernel. `backend` needs a
// driver; it may be a different plugin from the one that compiled. [any-thread]
NEREID_EXPORT nereid_status_t
nereid_function_load(nereid_backend_t *backend, uint32_t device,
                     const nereid_artifact_t *artifact,
                     nereid_function_t **out_function);
// No launch may be pending. [any-thread]
NEREID_EXPORT void nereid_function_destroy(nereid_function_t *function);

// One argument of a kernel.
typedef struct nereid_argument_t {
  uint32_t struct_size;
  uint32_t offset;        // bytes from the start of the block
  uint32_t size;          // bytes
  uint32_t reserved;
  nereid_string_t name;
  nereid_string_t type;   // "*f32", "i32", ...
} nereid_argument_t;

typedef struct nereid_function_info_t {
  uint32_t struct_size;
  uint32_t argument_count;
  uint64_t arguments_size;         // bytes of the block
  nereid_string_t name;
  const nereid_kernel_info_t *resources;
  uint64_t scratch_size;           // bytes of device memory for each program
  uint64_t scratch_alignment;      // of the whole; 0 if there is none
} nereid_function_info_t;

// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_function_info(const nereid_function_t *function,
                     nereid_function_info_t *out_info);
// [any-thread]
NEREID_EXPORT nereid_status_t
nereid_function_argument(const nereid_function_t *function, uint32_t index,
                         nereid_argument_t *out_argument);

// Launches. A grid with a zero is a no-op. `arguments_size` must be the
// kernel's. A block that is not aligned to 64 bytes is copied, up to 4096
// bytes; larger ones are refused. The caller passes scratch memory for all
// programs if the kernel needs it, until the launch is done; less is refused.
// nereid_error() has the reasons of a failure. [hot]
NEREID_EXPORT nereid_status_t
nereid_function_launch(nereid_function_t *function,
                       const nereid_launch_t *launch);

#ifdef __cplusplus
}
#endif
#endif // NEREID_INCLUDE_HOST_FUNCTION_H
