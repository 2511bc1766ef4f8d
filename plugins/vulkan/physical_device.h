// physical_device.h - what a device of a Vulkan driver has, and whether this
// plugin can use it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_PHYSICAL_DEVICE_H
#define NEREID_VULKAN_PHYSICAL_DEVICE_H

#include "loader.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nereid::vulkan {

/// What kernels may use. Each name is a feature of the target (target.cpp).
struct KernelFeatures {
  bool int8 = false, int16 = false, int64 = false;
  bool float16 = false, float64 = false;
  bool storage8 = false, storage16 = false; ///< loads and stores of addresses
  bool push8 = false, push16 = false;       ///< of push constants
  bool explicitShared = false;              ///< shared memory with a layout
  bool explicitShared8 = false, explicitShared16 = false;
  bool atomicInt64 = false, sharedAtomicInt64 = false;
  bool atomicFloat32Add = false, sharedAtomicFloat32Add = false;
  bool atomicFloat64Add = false, sharedAtomicFloat64Add = false;
  bool atomicFloat16Add = false, sharedAtomicFloat16Add = false;
  bool atomicFloat32MinMax = false, sharedAtomicFloat32MinMax = false;
  bool atomicFloat64MinMax = false, sharedAtomicFloat64MinMax = false;
  bool atomicFloat16MinMax = false, sharedAtomicFloat16MinMax = false;
  bool bfloat16 = false, bfloat16Dot = false, bfloat16Matrix = false;
  bool cooperativeMatrix = false;
  bool integerDot = false;
  bool deviceScope = false; ///< atomics and fences of the whole device
  bool denormPreserve16 = false, denormPreserve32 = false,
       denormPreserve64 = false;
  bool denormFlush16 = false, denormFlush32 = false, denormFlush64 = false;
  bool preserves16 = false, preserves32 = false, preserves64 = false;
  bool roundsToEven16 = false, roundsToEven32 = false, roundsToEven64 = false;
};

/// One shape of cooperative matrices in a subgroup.
struct MatrixShape {
  uint32_t m, n, k;
  std::string a, b, c, result; ///< "f16", "bf16", "i8", ...
};

/// A device as its driver describes it.
struct PhysicalDevice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;

  std::string name, driverName, driverInfo, uuid, pciAddress;
  VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  uint32_t apiVersion = 0, vendor = 0, deviceId = 0, driverVersion = 0;
  VkDriverId driver{};
  uint8_t cacheUuid[VK_UUID_SIZE] = {};

  uint32_t subgroupSize = 0, minSubgroup = 0, maxSubgroup = 0;
  VkSubgroupFeatureFlags subgroupOperations = 0;
  bool canRequireSubgroup = false; ///< of compute kernels
  bool hasFullSubgroups = false;
  uint32_t sharedBytes = 0, maxThreads = 0, pushBytes = 0;
  uint32_t maxWorkgroup[3] = {}, maxGrid[3] = {};
  uint32_t multiprocessors = 0; ///< 0: unknown
  uint64_t memoryBytes = 0;     ///< of the largest device-local heap
  uint64_t maxBuffer = 0;
  uint64_t hostPointerAlignment = 0; ///< 0: host memory cannot be imported
  bool hasMemoryBudget = false;
  float timestampPeriod = 0; ///< nanoseconds; 0: no timestamps

  uint32_t queueFamily = 0, queueCount = 0;
  uint32_t deviceMemoryType = 0, hostMemoryType = 0, deviceHeap = 0;

  KernelFeatures features;
  std::vector<MatrixShape> matrices;
  std::vector<std::string> extensions; ///< that exist

  /// Why this plugin cannot use it; empty if it can. What comes after
  /// `apiVersion` is set only then.
  std::string problem;

  bool has(std::string_view extension) const;
  bool isCpu() const { return type == VK_PHYSICAL_DEVICE_TYPE_CPU; }
};

/// "discrete", "integrated", "virtual", "cpu" or "other".
std::string_view typeName(VkPhysicalDeviceType type);

/// "1.3.239".
std::string versionText(uint32_t version);

PhysicalDevice describeDevice(const InstanceFunctions &functions,
                              VkPhysicalDevice device);

/// Bytes that can still be allocated, by all programs; `byDefault` where the
/// driver does not say.
uint64_t freeMemory(const InstanceFunctions &functions,
                    const PhysicalDevice &device, uint64_t byDefault);

/// Creates the device with every feature that kernels may use, and its queues.
VkDevice createDevice(const InstanceFunctions &functions,
                      const PhysicalDevice &device);

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_PHYSICAL_DEVICE_H
