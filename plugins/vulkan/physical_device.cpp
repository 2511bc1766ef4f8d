// physical_device.cpp - queries a device, and creates it with all that kernels
// may use.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "physical_device.h"

#include "failure.h"
#include "feature_chain.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace nereid::vulkan {

// -------------------------------------------------------------------- names

bool PhysicalDevice::has(std::string_view extension) const {
  return std::find(extensions.begin(), extensions.end(), extension) !=
         extensions.end();
}

std::string_view typeName(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return "discrete";
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return "integrated";
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return "virtual";
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return "cpu";
  default:
    return "other";
  }
}

std::string versionText(uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + '.' +
         std::to_string(VK_API_VERSION_MINOR(version)) + '.' +
         std::to_string(VK_API_VERSION_PATCH(version));
}

/// The name of a component of matrices; empty if kernels have no such type.
static std::string componentName(uint32_t type) {
  switch (type) {
  case VK_COMPONENT_TYPE_FLOAT16_KHR:
    return "f16";
  case VK_COMPONENT_TYPE_FLOAT32_KHR:
    return "f32";
  case VK_COMPONENT_TYPE_FLOAT64_KHR:
    return "f64";
  case VK_COMPONENT_TYPE_SINT8_KHR:
    return "i8";
  case VK_COMPONENT_TYPE_SINT32_KHR:
    return "i32";
  case VK_COMPONENT_TYPE_UINT8_KHR:
    return "u8";
  case VK_COMPONENT_TYPE_UINT32_KHR:
    return "u32";
  case NEREID_COMPONENT_TYPE_BFLOAT16:
    return "bf16";
  default:
    return {};
  }
}

// ------------------------------------------------------------------ queries

static std::vector<std::string>
deviceExtensions(const InstanceFunctions &functions, VkPhysicalDevice device) {
  uint32_t count = 0;
  functions.EnumerateDeviceExtensionProperties(device, nullptr, &count,
                                               nullptr);
  std::vector<VkExtensionProperties> found(count);
  functions.EnumerateDeviceExtensionProperties(device, nullptr, &count,
                                               found.data());
  found.resize(count);
  std::vector<std::string> names;
  for (const VkExtensionProperties &extension : found)
    names.emplace_back(extension.extensionName);
  return names;
}

static void describeProperties(const InstanceFunctions &functions,
                               PhysicalDevice &out) {
  VkPhysicalDeviceProperties2 base{};
  base.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  VkPhysicalDeviceVulkan11Properties v11{};
  v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
  VkPhysicalDeviceVulkan12Properties v12{};
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
  VkPhysicalDeviceVulkan13Properties v13{};
  v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES;
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host{};
  host.sType =
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT;
  VkPhysicalDevicePCIBusInfoPropertiesEXT pci{};
  pci.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT;
  VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nv{};
  nv.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV;
  VkPhysicalDeviceShaderCoreProperties2AMD amd{};
  amd.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_2_AMD;
  base.pNext = &v11;
  v11.pNext = &v12;
  v12.pNext = &v13;
  void **end = &v13.pNext;
  auto add = [&](const char *extension, auto &properties) {
    if (!out.has(extension))
      return false;
    *end = &properties;
    end = &properties.pNext;
    return true;
  };
  bool hasHost = add(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME, host);
  bool hasPci = add(VK_EXT_PCI_BUS_INFO_EXTENSION_NAME, pci);
  bool hasNv = add(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME, nv);
  bool hasAmd = add(VK_AMD_SHADER_CORE_PROPERTIES_2_EXTENSION_NAME, amd);
  functions.GetPhysicalDeviceProperties2(out.handle, &base);

  const VkPhysicalDeviceLimits &limits = base.properties.limits;
  out.driver = v12.driverID;
  out.driverName = v12.driverName;
  out.driverInfo = v12.driverInfo;
  for (uint8_t byte : v11.deviceUUID) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    out.uuid += digits;
  }
  if (hasPci) {
    char address[32];
    std::snprintf(address, sizeof address, "%04x:%02x:%02x.%x", pci.pciDomain,
                  pci.pciBus, pci.pciDevice, pci.pciFunction);
    out.pciAddress = address;
  }
  std::memcpy(out.cacheUuid, base.properties.pipelineCacheUUID, VK_UUID_SIZE);
  out.subgroupSize = v11.subgroupSize;
  out.minSubgroup = v13.minSubgroupSize;
  out.maxSubgroup = v13.maxSubgroupSize;
  out.subgroupOperations = v11.subgroupSupportedOperations;
  out.canRequireSubgroup =
      v13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT;
  out.sharedBytes = limits.maxComputeSharedMemorySize;
  out.maxThreads = limits.maxComputeWorkGroupInvocations;
  out.pushBytes = limits.maxPushConstantsSize;
  std::copy_n(limits.maxComputeWorkGroupSize, 3, out.maxWorkgroup);
  std::copy_n(limits.maxComputeWorkGroupCount, 3, out.maxGrid);
  out.multiprocessors = hasNv    ? nv.shaderSMCount
                        : hasAmd ? amd.activeComputeUnitCount
                                 : 0;
  out.maxBuffer = std::min(v13.maxBufferSize, v11.maxMemoryAllocationSize);
  if (hasHost)
    out.hostPointerAlignment = host.minImportedHostPointerAlignment;
  out.hasMemoryBudget = out.has(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  out.timestampPeriod = limits.timestampPeriod;

  KernelFeatures &can = out.features;
  can.denormPreserve16 = v12.shaderDenormPreserveFloat16;
  can.denormPreserve32 = v12.shaderDenormPreserveFloat32;
  can.denormPreserve64 = v12.shaderDenormPreserveFloat64;
  can.denormFlush16 = v12.shaderDenormFlushToZeroFloat16;
  can.denormFlush32 = v12.shaderDenormFlushToZeroFloat32;
  can.denormFlush64 = v12.shaderDenormFlushToZeroFloat64;
  can.preserves16 = v12.shaderSignedZeroInfNanPreserveFloat16;
  can.preserves32 = v12.shaderSignedZeroInfNanPreserveFloat32;
  can.preserves64 = v12.shaderSignedZeroInfNanPreserveFloat64;
  can.roundsToEven16 = v12.shaderRoundingModeRTEFloat16;
  can.roundsToEven32 = v12.shaderRoundingModeRTEFloat32;
  can.roundsToEven64 = v12.shaderRoundingModeRTEFloat64;
}

static void describeFeatures(const InstanceFunctions &functions,
                             PhysicalDevice &out) {
  FeatureChain chain(out);
  functions.GetPhysicalDeviceFeatures2(out.handle, &chain.base);
  const VkPhysicalDeviceFeatures &base = chain.base.features;
  KernelFeatures &can = out.features;
  can.int8 = chain.v12.shaderInt8;
  can.int16 = base.shaderInt16;
  can.int64 = base.shaderInt64;
  can.float16 = chain.v12.shaderFloat16;
  can.float64 = base.shaderFloat64;
  can.storage8 = chain.v12.storageBuffer8BitAccess;
  can.storage16 = chain.v11.storageBuffer16BitAccess;
  can.push8 = chain.v12.storagePushConstant8;
  can.push16 = chain.v11.storagePushConstant16;
  can.explicitShared = chain.explicitLayout.workgroupMemoryExplicitLayout;
  can.explicitShared8 =
      chain.explicitLayout.workgroupMemoryExplicitLayout8BitAccess;
  can.explicitShared16 =
      chain.explicitLayout.workgroupMemoryExplicitLayout16BitAccess;
  can.atomicInt64 = chain.v12.shaderBufferInt64Atomics;
  can.sharedAtomicInt64 = chain.v12.shaderSharedInt64Atomics;
  // llvmpipe says so, but does nothing at device addresses.
  can.atomicFloat32Add = chain.atomicFloat.shaderBufferFloat32AtomicAdd &&
                         out.driver != VK_DRIVER_ID_MESA_LLVMPIPE;
  can.sharedAtomicFloat32Add = chain.atomicFloat.shaderSharedFloat32AtomicAdd;
  can.atomicFloat64Add = chain.atomicFloat.shaderBufferFloat64AtomicAdd;
  can.sharedAtomicFloat64Add = chain.atomicFloat.shaderSharedFloat64AtomicAdd;
  can.atomicFloat16Add = chain.atomicFloat2.shaderBufferFloat16AtomicAdd;
  can.sharedAtomicFloat16Add = chain.atomicFloat2.shaderSharedFloat16AtomicAdd;
  can.atomicFloat32MinMax = chain.atomicFloat2.shaderBufferFloat32AtomicMinMax;
  can.sharedAtomicFloat32MinMax =
      chain.atomicFloat2.shaderSharedFloat32AtomicMinMax;
  can.atomicFloat64MinMax = chain.atomicFloat2.shaderBufferFloat64AtomicMinMax;
  can.sharedAtomicFloat64MinMax =
      chain.atomicFloat2.shaderSharedFloat64AtomicMinMax;
  can.atomicFloat16MinMax = chain.atomicFloat2.shaderBufferFloat16AtomicMinMax;
  can.sharedAtomicFloat16MinMax =
      chain.atomicFloat2.shaderSharedFloat16AtomicMinMax;
  can.bfloat16 = chain.bfloat16.shaderBFloat16Type;
  can.bfloat16Dot = chain.bfloat16.shaderBFloat16DotProduct;
  can.bfloat16Matrix = chain.bfloat16.shaderBFloat16CooperativeMatrix;
  can.cooperativeMatrix = chain.matrix.cooperativeMatrix;
  can.integerDot = chain.v13.shaderIntegerDotProduct;
  can.deviceScope = chain.v12.vulkanMemoryModelDeviceScope;
  out.canRequireSubgroup &= chain.v13.subgroupSizeControl != VK_FALSE;
  out.hasFullSubgroups = chain.v13.computeFullSubgroups;

  const std::pair<bool, const char *> required[] = {
      {chain.v12.bufferDeviceAddress, "bufferDeviceAddress"},
      {chain.v12.timelineSemaphore, "timelineSemaphore"},
      {chain.v12.vulkanMemoryModel, "vulkanMemoryModel"},
      {chain.v13.synchronization2, "synchronization2"},
      {chain.v13.maintenance4, "maintenance4"},
  };
  for (auto [has, name] : required)
    if (!has && out.problem.empty())
      out.problem = std::string("it has no ") + name;
}

static void describeMatrices(const InstanceFunctions &functions,
                             PhysicalDevice &out) {
  if (!out.features.cooperativeMatrix ||
      !functions.GetPhysicalDeviceCooperativeMatrixPropertiesKHR)
    return;
  uint32_t count = 0;
  functions.GetPhysicalDeviceCooperativeMatrixPropertiesKHR(out.handle, &count,
                                                            nullptr);
  VkCooperativeMatrixPropertiesKHR empty{};
  empty.sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR;
  std::vector<VkCooperativeMatrixPropertiesKHR> found(count, empty);
  functions.GetPhysicalDeviceCooperativeMatrixPropertiesKHR(out.handle, &count,
                                                            found.data());
  found.resize(count);
  for (const VkCooperativeMatrixPropertiesKHR &shape : found) {
    MatrixShape known = {shape.MSize,
                         shape.NSize,
                         shape.KSize,
                         componentName(shape.AType),
                         componentName(shape.BType),
                         componentName(shape.CType),
                         componentName(shape.ResultType)};
    if (shape.scope == VK_SCOPE_SUBGROUP_KHR && !shape.saturatingAccumulation &&
        !known.a.empty() && !known.b.empty() && !known.c.empty() &&
        !known.result.empty())
      out.matrices.push_back(std::move(known));
  }
}

/// The family for kernels and copies: one without graphics, if there is one, is
/// not shared with the screen.
static void chooseQueues(const InstanceFunctions &functions,
                         PhysicalDevice &out) {
  constexpr uint32_t kMostQueues = 8;
  uint32_t count = 0;
  functions.GetPhysicalDeviceQueueFamilyProperties(out.handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  functions.GetPhysicalDeviceQueueFamilyProperties(out.handle, &count,
                                                   families.data());
  families.resize(count);
  const VkQueueFamilyProperties *best = nullptr;
  for (const VkQueueFamilyProperties &family : families) {
    if (!(family.queueFlags & VK_QUEUE_COMPUTE_BIT) || !family.queueCount)
      continue;
    bool isComputeOnly = !(family.queueFlags & VK_QUEUE_GRAPHICS_BIT);
    if (!best || (isComputeOnly && best->queueFlags & VK_QUEUE_GRAPHICS_BIT))
      best = &family;
  }
  if (!best) {
    out.problem = "it has no compute queue";
    return;
  }
  out.queueFamily = static_cast<uint32_t>(best - families.data());
  out.queueCount = std::min(best->queueCount, kMostQueues);
  if (!best->timestampValidBits)
    out.timestampPeriod = 0;
}

/// Device memory is local; host memory is best cached, since it is also read.
static void chooseMemory(const InstanceFunctions &functions,
                         PhysicalDevice &out) {
  VkPhysicalDeviceMemoryProperties2 base{};
  base.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
  functions.GetPhysicalDeviceMemoryProperties2(out.handle, &base);
  const VkPhysicalDeviceMemoryProperties &memory = base.memoryProperties;
  auto find = [&](VkMemoryPropertyFlags wanted, uint32_t &type) {
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
      if ((memory.memoryTypes[i].propertyFlags & wanted) == wanted) {
        type = i;
        return true;
      }
    return false;
  };
  constexpr VkMemoryPropertyFlags kHost = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                          VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  if (!find(VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, out.deviceMemoryType) ||
      (!find(kHost | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, out.hostMemoryType) &&
       !find(kHost, out.hostMemoryType))) {
    out.problem = "it has no device-local or no coherent host memory";
    return;
  }
  out.deviceHeap = memory.memoryTypes[out.deviceMemoryType].heapIndex;
  out.memoryBytes = memory.memoryHeaps[out.deviceHeap].size;
}

uint64_t freeMemory(const InstanceFunctions &functions,
                    const PhysicalDevice &device, uint64_t byDefault) {
  if (!device.hasMemoryBudget)
    return byDefault;
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{};
  budget.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
  VkPhysicalDeviceMemoryProperties2 base{};
  base.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
  base.pNext = &budget;
  functions.GetPhysicalDeviceMemoryProperties2(device.handle, &base);
  uint64_t has = budget.heapBudget[device.deviceHeap];
  uint64_t used = budget.heapUsage[device.deviceHeap];
  return std::min(has > used ? has - used : 0, device.memoryBytes);
}

PhysicalDevice describeDevice(const InstanceFunctions &functions,
                              VkPhysicalDevice device) {
  PhysicalDevice out;
  out.handle = device;
  VkPhysicalDeviceProperties2 base{};
  base.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  functions.GetPhysicalDeviceProperties2(device, &base);
  out.name = base.properties.deviceName;
  out.type = base.properties.deviceType;
  out.vendor = base.properties.vendorID;
  out.deviceId = base.properties.deviceID;
  out.driverVersion = base.properties.driverVersion;
  out.apiVersion = base.properties.apiVersion;
  if (out.apiVersion < VK_API_VERSION_1_3) {
    out.problem =
        "it has Vulkan " + versionText(out.apiVersion) + ", 1.3 was expected";
    return out;
  }
  out.extensions = deviceExtensions(functions, device);
  describeProperties(functions, out);
  describeFeatures(functions, out);
  if (out.problem.empty())
    chooseQueues(functions, out);
  if (out.problem.empty())
    chooseMemory(functions, out);
  if (out.problem.empty())
    describeMatrices(functions, out);
  return out;
}

// ----------------------------------------------------------------- creation

VkDevice createDevice(const InstanceFunctions &functions,
                      const PhysicalDevice &device) {
  FeatureChain chain(device);
  functions.GetPhysicalDeviceFeatures2(device.handle, &chain.base);
  chain.reduce();
  std::vector<float> priorities(device.queueCount, 0.5f);
  VkDeviceQueueCreateInfo queues{};
  queues.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queues.queueFamilyIndex = device.queueFamily;
  queues.queueCount = device.queueCount;
  queues.pQueuePriorities = priorities.data();
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &chain.base;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queues;
  info.enabledExtensionCount = static_cast<uint32_t>(chain.extensions.size());
  info.ppEnabledExtensionNames = chain.extensions.data();
  VkDevice out = VK_NULL_HANDLE;
  check(functions.CreateDevice(device.handle, &info, nullptr, &out),
        "cannot create the device");
  return out;
}

} // namespace nereid::vulkan
