// feature_chain.cpp - which features are asked for, and which are enabled.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "feature_chain.h"

namespace nereid::vulkan {

FeatureChain::FeatureChain(const PhysicalDevice &device) {
  base.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  add(v11);
  add(v12);
  add(v13);
  addOf(device, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, atomicFloat,
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT);
  // The second extension needs the first.
  if (atomicFloat.sType)
    addOf(device, VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME, atomicFloat2,
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT);
  addOf(
      device, VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME,
      explicitLayout,
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR);
  addOf(device, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME, matrix,
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR);
  addOf(device, VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME, bfloat16,
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR);
  addOf(
      device, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME, executables,
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR);
  addExtension(device, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  addExtension(device, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
}

void FeatureChain::reduce() {
  VkPhysicalDeviceFeatures had = base.features;
  base.features = {};
  base.features.shaderInt64 = had.shaderInt64;
  base.features.shaderInt16 = had.shaderInt16;
  base.features.shaderFloat64 = had.shaderFloat64;

  VkPhysicalDeviceVulkan11Features had11 = v11;
  v11 = {};
  v11.sType = had11.sType;
  v11.pNext = had11.pNext;
  v11.storageBuffer16BitAccess = had11.storageBuffer16BitAccess;
  v11.storagePushConstant16 = had11.storagePushConstant16;
  v11.variablePointersStorageBuffer = had11.variablePointersStorageBuffer;
  v11.variablePointers = had11.variablePointers;

  VkPhysicalDeviceVulkan12Features had12 = v12;
  v12 = {};
  v12.sType = had12.sType;
  v12.pNext = had12.pNext;
  v12.storageBuffer8BitAccess = had12.storageBuffer8BitAccess;
  v12.storagePushConstant8 = had12.storagePushConstant8;
  v12.shaderBufferInt64Atomics = had12.shaderBufferInt64Atomics;
  v12.shaderSharedInt64Atomics = had12.shaderSharedInt64Atomics;
  v12.shaderFloat16 = had12.shaderFloat16;
  v12.shaderInt8 = had12.shaderInt8;
  v12.shaderSubgroupExtendedTypes = had12.shaderSubgroupExtendedTypes;
  v12.timelineSemaphore = had12.timelineSemaphore;
  v12.bufferDeviceAddress = had12.bufferDeviceAddress;
  v12.vulkanMemoryModel = had12.vulkanMemoryModel;
  v12.vulkanMemoryModelDeviceScope = had12.vulkanMemoryModelDeviceScope;

  VkPhysicalDeviceVulkan13Features had13 = v13;
  v13 = {};
  v13.sType = had13.sType;
  v13.pNext = had13.pNext;
  v13.subgroupSizeControl = had13.subgroupSizeControl;
  v13.computeFullSubgroups = had13.computeFullSubgroups;
  v13.synchronization2 = had13.synchronization2;
  v13.shaderIntegerDotProduct = had13.shaderIntegerDotProduct;
  v13.shaderZeroInitializeWorkgroupMemory =
      had13.shaderZeroInitializeWorkgroupMemory;
  v13.maintenance4 = had13.maintenance4;

  // Images are not used.
  atomicFloat.shaderImageFloat32Atomics = VK_FALSE;
  atomicFloat.shaderImageFloat32AtomicAdd = VK_FALSE;
  atomicFloat.sparseImageFloat32Atomics = VK_FALSE;
  atomicFloat.sparseImageFloat32AtomicAdd = VK_FALSE;
  atomicFloat2.shaderImageFloat32AtomicMinMax = VK_FALSE;
  atomicFloat2.sparseImageFloat32AtomicMinMax = VK_FALSE;
  matrix.cooperativeMatrixRobustBufferAccess = VK_FALSE;
}

} // namespace nereid::vulkan
