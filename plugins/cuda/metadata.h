// metadata.h - what an image's metadata says about launches. docs/cuda.md
// defines it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CUDA_METADATA_H
#define NEREID_CUDA_METADATA_H

#include "nereid/plugin.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nereid::cuda {

inline constexpr uint32_t kMostRank = 5; // of a tensor map

/// A tensor map that a launch makes from a descriptor's pieces. Offsets are in
/// the block of arguments.
struct TensorMapFacts {
  uint32_t rank = 0;
  uint32_t swizzle = 0;
  uint32_t type = 0;        // of the elements
  uint32_t elementSize = 0; // bytes
  bool isFp4Padded = false;
  uint32_t box[kMostRank] = {}; // the slowest dimension first
  uint32_t pointer = 0;
  uint32_t sizes[kMostRank] = {}, strides[kMostRank] = {};
  uint32_t nanPadding = 0, roundToTf32 = 0;
  std::string name; // of the argument, for messages
};

/// A parameter of the kernel.
struct Parameter {
  bool isTensorMap = false;
  uint32_t index = 0;  // of the argument, or of the tensor map
  uint32_t offset = 0; // in the block
  uint32_t size = 0;   // bytes
};

struct KernelFacts {
  std::string name;
  uint32_t threads = 0;            // of a thread block
  uint32_t blocks = 1;             // thread blocks of a program, along x
  uint32_t cluster[3] = {1, 1, 1}; // programs
  uint64_t shared = 0;
  bool isCooperative = false, isProgrammatic = false;
  uint64_t scratch = 0, profileScratch = 0; // bytes of a program
  uint32_t scratchParameters = 0;
  uint64_t arguments = 0; // bytes of the block
  std::vector<std::string> argumentNames;
  std::vector<Parameter> parameters; // without those for scratch
  std::vector<TensorMapFacts> tensorMaps;

  /// Throws if the metadata contradicts itself.
  static KernelFacts read(const nereid_value_t *values, uint64_t count);
};

} // namespace nereid::cuda

#endif // NEREID_CUDA_METADATA_H
