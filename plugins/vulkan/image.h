// image.h - the image of a kernel: a SPIR-V module that carries its own facts
// and digest.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The facts are one OpModuleProcessed, so that any tool for SPIR-V reads the
// image:
//   nereid.vulkan/1 digest=<16 hex> workgroup=<threads> subgroup=<size or 0>
//   shared=<bytes> arguments=<bytes> push=<arguments|block> services=<0|1>
//   matrices=<shapes, with semicolons between>
// on one line; without matrices the last is missing. The digest is the first
// fact; unknown facts are ignored. The module has one entry point, with a
// LocalSize of `workgroup` threads. sites.h describes what it may print or fail
// with.
//
// What a kernel gets as push constants:
//   0   three u32: the grid
//   12  a u32, 0
//   16  the address of the services block (services.h), 0 if there is none
//   24  the argument block (push=arguments), or its address (push=block)
// Specialization constant 0, a bool, is set in the pipeline for grids beyond
// the limits of the device: they are folded, and program i of the grid, x
// first, is workgroup x + y * (number of workgroups along x), up to the last
// program.

#ifndef NEREID_VULKAN_IMAGE_H
#define NEREID_VULKAN_IMAGE_H

#include "sites.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::vulkan {

/// Where the argument block is.
enum class ArgumentPlace { PushConstants, Block };

/// Bytes of push constants before the arguments.
inline constexpr uint32_t kArgumentsOffset = 24;
/// The largest range of push constants that is used; devices have 128 to 256.
inline constexpr uint32_t kMostPushConstants = 512;
/// The largest argument block of an image.
inline constexpr uint32_t kMostArguments = 64 * 1024;

/// What the OpModuleProcessed says.
struct ImageFacts {
  uint32_t workgroup = 1; ///< threads
  uint32_t subgroup = 0;  ///< required size; 0: any
  uint32_t shared = 0;    ///< bytes
  uint32_t arguments = 0; ///< bytes
  ArgumentPlace place = ArgumentPlace::PushConstants;
  bool needsServices = false;
  /// Shapes of cooperative matrices, as the target's features name them.
  std::vector<std::string> matrices = {};

  /// Bytes of push constants.
  uint32_t pushConstants() const {
    return place == ArgumentPlace::Block
               ? kArgumentsOffset + 8
               : kArgumentsOffset + (arguments + 3) / 4 * 4;
  }
};

/// An image that was read.
struct Image {
  ImageFacts facts;
  std::string entry;                   ///< of the entry point
  std::array<uint32_t, 3> localSize{}; ///< its product is facts.workgroup
  bool canFold = false;                ///< has specialization constant 0
  std::vector<uint32_t> capabilities;  ///< of SPIR-V, in the module's order
  /// Execution modes of float controls, and the widths that they are for.
  std::vector<std::pair<uint32_t, uint32_t>> floatModes;
  std::vector<Site> sites;     ///< by number
  std::vector<uint32_t> words; ///< the module
};

/// The text of the OpModuleProcessed, with a digest of zeros.
std::string describe(const ImageFacts &facts);

/// Writes the digest into a module that has the text of `describe`. Returns
/// what is wrong; empty on success.
std::string sealImage(std::span<uint32_t> words);

/// Reads untrusted bytes. Returns what is wrong; empty on success.
std::string readImage(std::string_view bytes, Image &out);

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_IMAGE_H
