// compiler_interface.h - what the plugin and its compiler part share.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_COMPILER_INTERFACE_H
#define NEREID_VULKAN_COMPILER_INTERFACE_H

#include "nereid/base.h"

// Checked options; see options.h.
struct nereid_vulkan_options_t {
  nereid_string_t features; // of the target
  uint32_t threads;         // of a workgroup
  uint32_t access_bytes;    // of the widest access
  uint32_t fp_fusion;       // 0 or 1
  uint32_t stages;          // of pipelined loops; 1: none is pipelined
  uint32_t matrices;        // 0 or 1: cooperative ones, for products
};

// The stages, by index.
enum {
  NEREID_VULKAN_STAGE_TTIR = 0,  // ttir -> ttir
  NEREID_VULKAN_STAGE_SPIRV = 1, // ttir -> spirv
  NEREID_VULKAN_STAGE_COUNT = 2
};

#endif // NEREID_VULKAN_COMPILER_INTERFACE_H
