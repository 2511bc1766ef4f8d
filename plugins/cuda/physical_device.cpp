// physical_device.cpp - reads the facts about a device.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "physical_device.h"

#include "failure.h"
#include "library.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

namespace nereid::cuda {

int ptxVersionOf(int version) {
  int major = version / 1000, minor = version % 1000 / 10;
  // CUDA 12.6 came without a new PTX.
  if (major == 12)
    return 80 + minor - (minor >= 6);
  return major == 13 ? 90 + minor : 0;
}

std::string ptxText(int version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

/// As nvidia-smi and CUDA_VISIBLE_DEVICES spell it.
static std::string uuidText(const CUuuid &uuid) {
  std::string text = "GPU-";
  char digits[3];
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10)
      text += '-';
    std::snprintf(digits, sizeof digits, "%02x", uuid.bytes[i]);
    text += digits;
  }
  return text;
}

/// Triton's name: from sm_90 on with what only this architecture has.
static std::string archOf(int capability) {
  return "sm_" + std::to_string(capability) + (capability >= 90 ? "a" : "");
}

PhysicalDevice PhysicalDevice::read(const Library &library, int ordinal) {
  PhysicalDevice device;
  std::string what =
      "cannot read the properties of device " + std::to_string(ordinal);
  auto must = [&](CUresult result) { check(library, result, what); };
  must(library.cuDeviceGet(&device.handle, ordinal));
  auto attribute = [&](DeviceAttribute which) {
    int value = 0;
    must(library.cuDeviceGetAttribute(&value, which, device.handle));
    return value;
  };
  char text[256] = {};
  must(library.cuDeviceGetName(text, sizeof text - 1, device.handle));
  device.name = text;
  CUuuid uuid = {};
  must(library.cuDeviceGetUuid(&uuid, device.handle));
  device.uuid = uuidText(uuid);
  must(library.cuDeviceGetPCIBusId(text, sizeof text - 1, device.handle));
  device.pciAddress = text;
  for (char &c : device.pciAddress)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  size_t bytes = 0;
  must(library.cuDeviceTotalMem(&bytes, device.handle));
  device.memoryBytes = bytes;
  device.major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  device.minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  device.multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  device.maxThreads = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  device.maxGrid[0] = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  device.maxGrid[1] = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
  device.maxGrid[2] = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  device.maxRegisters = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  device.warpSize = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  device.maxShared =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  device.clockKhz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  device.memoryClockKhz = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  device.memoryBusBits = attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  device.l2Bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  device.hasMemoryPools = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
  device.hasCooperativeLaunch =
      attribute(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
  device.arch = archOf(device.capability());
  if (int ptx = ptxVersionOf(library.version))
    device.features = "ptx=" + ptxText(ptx);
  return device;
}

} // namespace nereid::cuda
