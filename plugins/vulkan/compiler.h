// compiler.h - the compiler's table.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_COMPILER_H
#define NEREID_VULKAN_COMPILER_H

#include "nereid/plugin.h"

namespace nereid::vulkan {

extern const nereid_compiler_t kCompiler;

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_COMPILER_H
