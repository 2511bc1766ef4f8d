// compiler.h - the compiler's table.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_COMPILER_H
#define NEREID_VULKAN_COMPILER_H

#include "common/compiler_part.h"
#include "compiler_interface.h"

#include "nereid/plugin.h"

namespace nereid::vulkan {

inline bool acceptsCompiler(const nereid_vulkan_compiler_t &table) {
  return table.struct_size == sizeof(nereid_vulkan_compiler_t) &&
         table.options_size == sizeof(nereid_vulkan_options_t);
}
using CompilerPart =
    plugin::CompilerPart<nereid_vulkan_compiler_t, acceptsCompiler>;

extern const nereid_compiler_t kCompiler;

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_COMPILER_H
