// newer_vulkan.h - the Vulkan headers, without prototypes, and what is newer
// than those of Debian 12 (1.3.239).
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_NEWER_VULKAN_H
#define NEREID_VULKAN_NEWER_VULKAN_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

// VK_KHR_cooperative_matrix, since 1.3.255.
#ifndef VK_KHR_cooperative_matrix
#define VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME "VK_KHR_cooperative_matrix"

constexpr auto
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR =
        static_cast<VkStructureType>(1000506000);
constexpr auto VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR =
    static_cast<VkStructureType>(1000506001);

using VkComponentTypeKHR = uint32_t;
constexpr VkComponentTypeKHR VK_COMPONENT_TYPE_FLOAT16_KHR = 0;
constexpr VkComponentTypeKHR VK_COMPONENT_TYPE_FLOAT32_KHR = 1;
constexpr VkComponentTypeKHR VK_COMPONENT_TYPE_FLOAT64_KHR = 2;
constexpr VkComponentTypeKHR VK_COMPONENT_TYPE_SINT8_KHR = 3;
constexpr VkComponentTypeKHR VK_COMPONENT_TYPE_SINT16_KHR = 4;
constexpr VkComponentTypeKHR VK_COMPONENT_TYPE_SINT32_KHR = 5;
constexpr VkComponentTypeKHR VK_COMPONENT_TYPE_SINT64_KHR = 6;
constexpr VkComponentTypeKHR VK_COMPONENT_TYPE_UINT8_KHR = 7;
constexpr VkComponentTypeKHR VK_COMPONENT_TYPE_UINT16_KHR = 8;
constexpr VkComponentTypeKHR VK_COMPONENT_TYPE_UINT32_KHR = 9;
constexpr VkComponentTypeKHR VK_COMPONENT_TYPE_UINT64_KHR = 10;

using VkScopeKHR = uint32_t;
constexpr VkScopeKHR VK_SCOPE_SUBGROUP_KHR = 3;

struct VkPhysicalDeviceCooperativeMatrixFeaturesKHR {
  VkStructureType sType;
  void *pNext;
  VkBool32 cooperativeMatrix;
  VkBool32 cooperativeMatrixRobustBufferAccess;
};

struct VkCooperativeMatrixPropertiesKHR {
  VkStructureType sType;
  void *pNext;
  uint32_t MSize, NSize, KSize;
  VkComponentTypeKHR AType, BType, CType, ResultType;
  VkBool32 saturatingAccumulation;
  VkScopeKHR scope;
};

using PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR =
    VkResult(VKAPI_PTR *)(VkPhysicalDevice physicalDevice, uint32_t *pCount,
                          VkCooperativeMatrixPropertiesKHR *pProperties);
#endif

// VK_KHR_shader_bfloat16, since 1.4.311.
#ifndef VK_KHR_shader_bfloat16
#define VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME "VK_KHR_shader_bfloat16"

constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR =
    static_cast<VkStructureType>(1000141000);

struct VkPhysicalDeviceShaderBfloat16FeaturesKHR {
  VkStructureType sType;
  void *pNext;
  VkBool32 shaderBFloat16Type;
  VkBool32 shaderBFloat16DotProduct;
  VkBool32 shaderBFloat16CooperativeMatrix;
};
#endif

// As a number: in headers with the extension it is an enumerator.
constexpr uint32_t NEREID_COMPONENT_TYPE_BFLOAT16 = 1000141000;

#endif // NEREID_VULKAN_NEWER_VULKAN_H
