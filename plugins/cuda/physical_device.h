// physical_device.h - what the driver library says about a device, without a
// context on it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CUDA_PHYSICAL_DEVICE_H
#define NEREID_CUDA_PHYSICAL_DEVICE_H

#include "api.h"

#include <string>

namespace nereid::cuda {

struct Library;

struct PhysicalDevice {
  CUdevice handle = 0;
  std::string name, uuid, pciAddress;
  int major = 0, minor = 0; ///< of the compute capability
  int multiprocessors = 0;
  int maxThreads = 0; ///< of a thread block
  int maxGrid[3] = {};
  int maxRegisters = 0; ///< of a thread block
  int warpSize = 0;
  int maxShared = 0; ///< bytes of a thread block, all that it may opt in to
  int clockKhz = 0, memoryClockKhz = 0, memoryBusBits = 0;
  int l2Bytes = 0;
  bool hasMemoryPools = false, hasCooperativeLaunch = false;
  uint64_t memoryBytes = 0;
  /// Of the target: "sm_90a", and the newest PTX that the library compiles.
  std::string arch, features;

  int capability() const { return 10 * major + minor; }

  /// Throws if the library refuses.
  static PhysicalDevice read(const Library &library, int ordinal);
};

/// The newest PTX ISA that a library for CUDA `version` compiles, 87 for 8.7;
/// 0 if that is not known.
int ptxVersionOf(int version);

/// "8.7" for 87.
std::string ptxText(int version);

} // namespace nereid::cuda

#endif // NEREID_CUDA_PHYSICAL_DEVICE_H
