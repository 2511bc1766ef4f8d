// nereid/ext/libdevice.h - extension "nereid.libdevice/1" of a plugin: which
// external functions its kernels may call.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Triton kernels call functions of a device library (tl.extra.libdevice) by
// symbol, "__nv_sinf" for instance. A host queries this list before it
// compiles.

#ifndef NEREID_EXT_LIBDEVICE_H
#define NEREID_EXT_LIBDEVICE_H

#include "../entry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NEREID_EXT_LIBDEVICE "nereid.libdevice/1"

// One external function. Types are spelled as in the metadata: "f32", "i64".
typedef struct nereid_libdevice_function_t {
  uint32_t struct_size;
  uint32_t reserved;
  nereid_string_t name;      // what a user calls: "sin"
  nereid_string_t symbol;    // what the module names: "__nv_sinf"
  nereid_string_t result;
  const nereid_string_t *operands;
  uint64_t operand_count;
} nereid_libdevice_function_t;

typedef struct nereid_libdevice_sink_t {
  uint32_t struct_size;
  uint32_t reserved;
  void *user;
  // `function` is borrowed for the call. [serial]
  nereid_status_t (*add)(const struct nereid_libdevice_sink_t *sink,
                         const nereid_libdevice_function_t *function);
} nereid_libdevice_sink_t;

typedef struct nereid_libdevice_t {
  uint32_t struct_size;
  uint32_t reserved;
  // Required. Adds every function for `target` to `sink`. [any-thread]
  nereid_status_t (*visit_functions)(nereid_state_t *state,
                                     const nereid_target_t *target,
                                     const nereid_libdevice_sink_t *sink,
                                     const nereid_call_t *call);
} nereid_libdevice_t;

#ifdef __cplusplus
}
#endif
#endif // NEREID_EXT_LIBDEVICE_H
