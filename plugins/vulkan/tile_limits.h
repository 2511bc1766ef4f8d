// tile_limits.h - limits of the code generator, for the compiler and for
// frontends.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_TILE_LIMITS_H
#define NEREID_VULKAN_TILE_LIMITS_H

#include <cstdint>

namespace nereid::vulkan {

/// Of one tile. The code of a tile is unrolled over them: lavapipe takes 9 s to
/// compile a sum with 256 elements a thread and about a minute with 1024, and
/// GPUs have registers for 255 words.
constexpr uint32_t kMaxElementsPerThread = 1024;

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_TILE_LIMITS_H
