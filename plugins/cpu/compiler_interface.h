// compiler_interface.h - what the plugin and its compiler part share.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_INTERFACE_H
#define NEREID_CPU_COMPILER_INTERFACE_H

#include "nereid/base.h"

// Checked options; strings in LLVM's format. See options.h.
struct nereid_cpu_options_t {
  uint32_t opt_level;
  uint32_t vector_bits;
  nereid_string_t arch;
  nereid_string_t cpu;
  nereid_string_t tune_cpu; // empty: as `cpu`
  nereid_string_t features;
  nereid_string_t fast_paths;
  uint32_t threads;
  uint32_t fp_fusion; // the rest: 0 or 1
  uint32_t reassociate;
  uint32_t debug_info;
};

// The stages, by index.
enum {
  NEREID_CPU_STAGE_TTIR = 0, // ttir -> ttir
  NEREID_CPU_STAGE_LLIR = 1, // ttir -> llvm.ir
  NEREID_CPU_STAGE_ASM = 2,  // llvm.ir -> asm
  NEREID_CPU_STAGE_SO = 3,   // asm -> elf
  NEREID_CPU_STAGE_COUNT = 4
};

#endif // NEREID_CPU_COMPILER_INTERFACE_H
