// loader.h - the Vulkan loader, opened at run time, and its functions.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_LOADER_H
#define NEREID_VULKAN_LOADER_H

#include "newer_vulkan.h"

#include <string>

namespace nereid::vulkan {

#define NEREID_VULKAN_GLOBAL_FUNCTIONS(X)                                      \
  X(CreateInstance)                                                            \
  X(EnumerateInstanceExtensionProperties)                                      \
  X(EnumerateInstanceLayerProperties)                                          \
  X(EnumerateInstanceVersion)

#define NEREID_VULKAN_INSTANCE_FUNCTIONS(X)                                    \
  X(CreateDevice)                                                              \
  X(DestroyInstance)                                                           \
  X(EnumerateDeviceExtensionProperties)                                        \
  X(EnumeratePhysicalDevices)                                                  \
  X(GetDeviceProcAddr)                                                         \
  X(GetPhysicalDeviceFeatures2)                                                \
  X(GetPhysicalDeviceMemoryProperties2)                                        \
  X(GetPhysicalDeviceProperties2)                                              \
  X(GetPhysicalDeviceQueueFamilyProperties)

// Of extensions: null where they are not enabled.
#define NEREID_VULKAN_INSTANCE_EXTENSION_FUNCTIONS(X)                          \
  X(CreateDebugUtilsMessengerEXT)                                              \
  X(DestroyDebugUtilsMessengerEXT)                                             \
  X(GetPhysicalDeviceCooperativeMatrixPropertiesKHR)

#define NEREID_VULKAN_DEVICE_FUNCTIONS(X)                                      \
  X(AllocateCommandBuffers)                                                    \
  X(AllocateMemory)                                                            \
  X(BeginCommandBuffer)                                                        \
  X(BindBufferMemory)                                                          \
  X(CmdBindPipeline)                                                           \
  X(CmdCopyBuffer)                                                             \
  X(CmdDispatch)                                                               \
  X(CmdFillBuffer)                                                             \
  X(CmdPipelineBarrier2)                                                       \
  X(CmdPushConstants)                                                          \
  X(CmdResetQueryPool)                                                         \
  X(CmdWriteTimestamp2)                                                        \
  X(CreateBuffer)                                                              \
  X(CreateCommandPool)                                                         \
  X(CreateComputePipelines)                                                    \
  X(CreatePipelineCache)                                                       \
  X(CreatePipelineLayout)                                                      \
  X(CreateQueryPool)                                                           \
  X(CreateSemaphore)                                                           \
  X(CreateShaderModule)                                                        \
  X(DestroyBuffer)                                                             \
  X(DestroyCommandPool)                                                        \
  X(DestroyDevice)                                                             \
  X(DestroyPipeline)                                                           \
  X(DestroyPipelineCache)                                                      \
  X(DestroyPipelineLayout)                                                     \
  X(DestroyQueryPool)                                                          \
  X(DestroySemaphore)                                                          \
  X(DestroyShaderModule)                                                       \
  X(DeviceWaitIdle)                                                            \
  X(EndCommandBuffer)                                                          \
  X(FreeMemory)                                                                \
  X(GetBufferDeviceAddress)                                                    \
  X(GetBufferMemoryRequirements)                                               \
  X(GetDeviceQueue)                                                            \
  X(GetPipelineCacheData)                                                      \
  X(GetQueryPoolResults)                                                       \
  X(GetSemaphoreCounterValue)                                                  \
  X(MapMemory)                                                                 \
  X(QueueSubmit2)                                                              \
  X(ResetCommandPool)                                                          \
  X(SignalSemaphore)                                                           \
  X(WaitSemaphores)

#define NEREID_VULKAN_DEVICE_EXTENSION_FUNCTIONS(X)                            \
  X(GetMemoryHostPointerPropertiesEXT)                                         \
  X(GetPipelineExecutableStatisticsKHR)

#define NEREID_VULKAN_MEMBER(name) PFN_vk##name name = nullptr;

/// The functions that need no instance.
struct Loader {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
  NEREID_VULKAN_GLOBAL_FUNCTIONS(NEREID_VULKAN_MEMBER)

  /// Opens libvulkan.so.1, once in a process: it is never closed, since drivers
  /// keep threads and exit handlers. Returns what is missing; empty on success.
  std::string open();
};

struct InstanceFunctions {
  NEREID_VULKAN_INSTANCE_FUNCTIONS(NEREID_VULKAN_MEMBER)
  NEREID_VULKAN_INSTANCE_EXTENSION_FUNCTIONS(NEREID_VULKAN_MEMBER)

  /// Throws if one is missing.
  void load(const Loader &loader, VkInstance instance);
};

struct DeviceFunctions {
  NEREID_VULKAN_DEVICE_FUNCTIONS(NEREID_VULKAN_MEMBER)
  NEREID_VULKAN_DEVICE_EXTENSION_FUNCTIONS(NEREID_VULKAN_MEMBER)

  /// Throws if one is missing.
  void load(const InstanceFunctions &instance, VkDevice device);
};

#undef NEREID_VULKAN_MEMBER

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_LOADER_H
