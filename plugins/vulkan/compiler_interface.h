// compiler_interface.h - the function that the compiler part exports, and the
// table that it returns.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Both files are built together, but sizes are compared, since they may be
// installed separately.

#ifndef NEREID_VULKAN_COMPILER_INTERFACE_H
#define NEREID_VULKAN_COMPILER_INTERFACE_H

#include "nereid/entry.h"

#ifdef __cplusplus
extern "C" {
#endif

// Checked options; see options.h.
typedef struct nereid_vulkan_options_t {
  uint32_t struct_size;
  uint32_t threads;         // of a workgroup
  nereid_string_t features; // of the target
  uint32_t access_bytes;    // of the widest access
  uint32_t fp_fusion;       // 0 or 1
  uint32_t stages;          // of pipelined loops; 1: none is pipelined
  uint32_t matrices;        // 0 or 1: cooperative ones, for products
} nereid_vulkan_options_t;

// The stages, by index.
enum {
  NEREID_VULKAN_STAGE_TTIR = 0,  // ttir -> ttir
  NEREID_VULKAN_STAGE_SPIRV = 1, // ttir -> spirv
  NEREID_VULKAN_STAGE_COUNT = 2
};

typedef struct nereid_vulkan_session_t nereid_vulkan_session_t;

typedef struct nereid_vulkan_compiler_t {
  uint32_t struct_size;
  uint32_t options_size; // sizeof(nereid_vulkan_options_t)
  // Fails on features that have no meaning. `options` is borrowed until `end`.
  // [any-thread]
  nereid_status_t (*begin)(const nereid_vulkan_options_t *options,
                           nereid_vulkan_session_t **out_session,
                           const nereid_call_t *call);
  // Accepts NULL. [serial]
  void (*end)(nereid_vulkan_session_t *session);
  // As in nereid_compiler_t. [serial]
  nereid_status_t (*run_stage)(nereid_vulkan_session_t *session, uint32_t stage,
                               nereid_bytes_t input,
                               const nereid_writer_t *output,
                               const nereid_value_sink_t *metadata,
                               const nereid_call_t *call);
} nereid_vulkan_compiler_t;

#define NEREID_VULKAN_COMPILER_SYMBOL "nereid_vulkan_compiler"

#ifdef __cplusplus
}
#endif
#endif // NEREID_VULKAN_COMPILER_INTERFACE_H
