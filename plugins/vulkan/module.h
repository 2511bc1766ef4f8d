// module.h - a loaded image and its kernel.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_MODULE_H
#define NEREID_VULKAN_MODULE_H

#include "device.h"
#include "image.h"
#include "reports.h"

namespace nereid::vulkan {

/// Checks `image` against the device; throws if the kernel cannot run there.
void checkImage(const PhysicalDevice &device, const Image &image);

} // namespace nereid::vulkan

struct nereid_kernel_t {
  nereid_kernel_t(nereid::vulkan::Device &device, nereid::vulkan::Image image);
  ~nereid_kernel_t();
  nereid_kernel_t(const nereid_kernel_t &) = delete;
  nereid_kernel_t &operator=(const nereid_kernel_t &) = delete;

  nereid::vulkan::Device &device;
  const nereid::vulkan::Image image;
  /// What launches report; null if they do not.
  std::shared_ptr<const nereid::vulkan::KernelSites> sites;
  std::vector<uint32_t> pointers; ///< offsets of pointers in the block
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;

  /// The pipeline for grids beyond the device's limits, created on its first
  /// use.
  VkPipeline foldedPipeline();

private:
  void destroy();
  VkPipeline createPipeline(bool isFolded);

  VkShaderModule module = VK_NULL_HANDLE;
  std::mutex mutex;
  VkPipeline folded = VK_NULL_HANDLE;
};

struct nereid_module_t {
  nereid_kernel_t kernel;
};

namespace nereid::vulkan {

nereid_status_t loadImage(nereid_state_t *state, uint32_t device,
                          const nereid_image_t *image,
                          nereid_module_t **outModule,
                          const nereid_call_t *call);
nereid_status_t unloadModule(nereid_state_t *state, nereid_module_t *module,
                             const nereid_call_t *call);
nereid_status_t getKernel(nereid_state_t *state, nereid_module_t *module,
                          nereid_string_t name, nereid_kernel_t **outKernel,
                          nereid_kernel_info_t *outInfo,
                          const nereid_call_t *call);
nereid_status_t launch(nereid_kernel_t *kernel, const nereid_launch_t *launch,
                       const nereid_call_t *call);

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_MODULE_H
