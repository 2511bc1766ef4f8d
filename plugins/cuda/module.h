// module.h - a loaded image and its kernels.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CUDA_MODULE_H
#define NEREID_CUDA_MODULE_H

#include "device.h"
#include "metadata.h"
#include "tensor_map.h"

#include "nereid/plugin.h"

#include <map>
#include <memory>
#include <vector>

struct nereid_kernel_t {
  nereid_kernel_t(nereid::cuda::Device &device,
                  const nereid::cuda::KernelFacts &facts,
                  nereid::cuda::CUfunction function, const std::string &name);
  nereid_kernel_t(const nereid_kernel_t &) = delete;
  nereid_kernel_t &operator=(const nereid_kernel_t &) = delete;

  nereid::cuda::Device &device;
  const nereid::cuda::KernelFacts &facts; ///< the module's
  const nereid::cuda::CUfunction function;
  const std::string *const name; ///< the device's: it outlives the kernel
  nereid_kernel_info_t info;     ///< constant once the kernel is made

  // What a launch needs, computed once.
  nereid::cuda::CUlaunchConfig config = {}; ///< but for grid and stream
  std::vector<nereid::cuda::CUlaunchAttribute> attributes;
  std::vector<uint32_t> offsets; ///< of parameters that are arguments
  uint32_t flags = 0;            ///< of every launch
  bool isPlain = true;           ///< no tensor maps, scratch memory or clusters
  std::vector<std::unique_ptr<nereid::cuda::TensorMapEncoder>> tensorMaps;
};

struct nereid_module_t {
  nereid_module_t(nereid::cuda::Device &device, nereid::cuda::KernelFacts facts,
                  nereid::cuda::CUmodule module)
      : device(device), facts(std::move(facts)), module(module) {}

  nereid::cuda::Device &device;
  const nereid::cuda::KernelFacts facts;
  const nereid::cuda::CUmodule module;
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<nereid_kernel_t>, std::less<>> kernels;
};

namespace nereid::cuda {

/// Attributes of a launch with `flags`, in clusters of `cluster` thread blocks.
/// Returns how many of `out` are used.
uint32_t fillAttributes(uint32_t flags, const uint32_t cluster[3],
                        CUlaunchAttribute (&out)[4]);

/// Throws if thread blocks cannot be in clusters of `cluster` on `device`.
void checkCluster(const Device &device, const uint32_t cluster[3]);

// The slots. [any-thread], launch [hot]
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

} // namespace nereid::cuda

#endif // NEREID_CUDA_MODULE_H
