// feature_chain.h - the features of a device, as Vulkan's linked structs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_FEATURE_CHAIN_H
#define NEREID_VULKAN_FEATURE_CHAIN_H

#include "physical_device.h"

#include <vector>

namespace nereid::vulkan {

/// The features of a device, first as it has them, then as they are enabled:
/// only what this plugin knows. Structs of extensions that do not exist are not
/// in the chain.
struct FeatureChain {
  VkPhysicalDeviceFeatures2 base{};
  VkPhysicalDeviceVulkan11Features v11{};
  VkPhysicalDeviceVulkan12Features v12{};
  VkPhysicalDeviceVulkan13Features v13{};
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomicFloat{};
  VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomicFloat2{};
  VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR explicitLayout{};
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix{};
  VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat16{};
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables{};
  std::vector<const char *> extensions; // to enable

  explicit FeatureChain(const PhysicalDevice &device);
  FeatureChain(const FeatureChain &) = delete;
  FeatureChain &operator=(const FeatureChain &) = delete;

  /// Leaves only features that kernels or this driver use: an enabled feature
  /// may cost speed (robust access), and validation should know what is used.
  void reduce();

private:
  template <typename Struct> void add(Struct &features) {
    features.pNext = base.pNext;
    base.pNext = &features;
  }
  bool addExtension(const PhysicalDevice &device, const char *extension) {
    if (!device.has(extension))
      return false;
    extensions.push_back(extension);
    return true;
  }
  template <typename Struct>
  void addOf(const PhysicalDevice &device, const char *extension,
             Struct &features, VkStructureType type) {
    if (!addExtension(device, extension))
      return;
    features.sType = type;
    add(features);
  }
};

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_FEATURE_CHAIN_H
