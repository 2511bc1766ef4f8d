// compiler_interface.h - the function that the compiler part exports, and the
// table that it returns.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Both files are built together, but sizes are compared, since they may be
// installed separately.

#ifndef NEREID_CPU_COMPILER_INTERFACE_H
#define NEREID_CPU_COMPILER_INTERFACE_H

#include "nereid/entry.h"

#ifdef __cplusplus
extern "C" {
#endif

// Checked options; strings in LLVM's format. See options.h.
typedef struct nereid_cpu_options_t {
  uint32_t struct_size;
  uint32_t opt_level;
  nereid_string_t arch;
  nereid_string_t cpu;
  nereid_string_t tune_cpu; // empty: as `cpu`
  nereid_string_t features;
  nereid_string_t fast_paths;
  uint32_t vector_bits;
  uint32_t threads;
  uint32_t fp_fusion; // the rest: 0 or 1
  uint32_t reassociate;
  uint32_t debug_info;
} nereid_cpu_options_t;

// The stages, by index.
enum {
  NEREID_CPU_STAGE_TTIR = 0, // ttir -> ttir
  NEREID_CPU_STAGE_LLIR = 1, // ttir -> llvm.ir
  NEREID_CPU_STAGE_ASM = 2,  // llvm.ir -> asm
  NEREID_CPU_STAGE_SO = 3,   // asm -> elf
  NEREID_CPU_STAGE_COUNT = 4
};

typedef struct nereid_cpu_session_t nereid_cpu_session_t;

typedef struct nereid_cpu_compiler_t {
  uint32_t struct_size;
  uint32_t options_size; // sizeof(nereid_cpu_options_t)
  // Fails on names unknown to LLVM. `options` is borrowed until `end`.
  // [any-thread]
  nereid_status_t (*begin)(const nereid_cpu_options_t *options,
                           nereid_cpu_session_t **out_session,
                           const nereid_call_t *call);
  // Accepts NULL. [serial]
  void (*end)(nereid_cpu_session_t *session);
  // As in nereid_compiler_t. [serial]
  nereid_status_t (*run_stage)(nereid_cpu_session_t *session, uint32_t stage,
                               nereid_bytes_t input,
                               const nereid_writer_t *output,
                               const nereid_value_sink_t *metadata,
                               const nereid_call_t *call);
} nereid_cpu_compiler_t;

#define NEREID_CPU_COMPILER_SYMBOL "nereid_cpu_compiler"

#ifdef __cplusplus
}
#endif
#endif // NEREID_CPU_COMPILER_INTERFACE_H
