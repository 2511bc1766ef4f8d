// Modules.h - the kernels of modules/, as images and in forms that are wrong.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TESTS_VULKAN_MODULES_H
#define NEREID_TESTS_VULKAN_MODULES_H

#include "image.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nereid::test {

using Words = std::vector<uint32_t>;

/// Programs of the kernel `spin` that keep a device busy for many seconds:
/// lavapipe ends a loop after 65535 rounds.
inline constexpr uint32_t kManyPrograms = 60000;

/// The assembled module, not sealed.
Words readModule(const std::string &name);
/// The same with a digest.
std::string readImage(const std::string &name);

/// The index of the first instruction with this opcode.
size_t findInstruction(const Words &words, uint32_t opcode);
/// Replaces the text of the facts.
void setFacts(Words &words, const std::string &text);
/// Inserts a capability.
void addCapability(Words &words, uint32_t capability);
/// Sets the size of a workgroup along x, in the module and in its facts.
void setThreads(Words &words, uint32_t threads);

std::string bytesOf(const Words &words);
/// Seals and returns the bytes; the module is one that can be sealed.
std::string sealed(Words words);

} // namespace nereid::test

#endif // NEREID_TESTS_VULKAN_MODULES_H
