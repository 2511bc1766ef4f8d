// launch.cpp - the hot path: parameters and the launch itself.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Parameters go to the library one by one (kernelParams), not as one buffer
// (CU_LAUNCH_PARAM_BUFFER): the library then copies each by the size and to the
// offset that the image has, the block of arguments stays where it is, and
// scratch pointers and tensor maps need no place in it.

#include "module.h"

#include "streams.h"

#include <alloca.h>

namespace nereid::cuda {

uint32_t fillAttributes(uint32_t flags, const uint32_t cluster[3],
                        CUlaunchAttribute (&out)[4]) {
  uint32_t count = 0;
  auto add = [&](uint32_t id) -> CUlaunchAttributeValue & {
    out[count] = {};
    out[count].id = id;
    return out[count++].value;
  };
  if (flags & NEREID_LAUNCH_PROGRAMMATIC)
    add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
        .programmaticStreamSerializationAllowed = 1;
  if (flags & NEREID_LAUNCH_COOPERATIVE)
    add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
  if (uint64_t{cluster[0]} * cluster[1] * cluster[2] > 1) {
    CUlaunchAttributeValue &size = add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
    std::copy(cluster, cluster + 3, size.clusterDim);
    add(CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)
        .clusterSchedulingPolicyPreference =
        CU_CLUSTER_SCHEDULING_POLICY_SPREAD;
  }
  return count;
}

static std::string gridText(const uint32_t grid[3]) {
  return std::to_string(grid[0]) + " x " + std::to_string(grid[1]) + " x " +
         std::to_string(grid[2]);
}

[[noreturn, gnu::cold]] static void throwRefused(const nereid_kernel_t &kernel,
                                                 const CUlaunchConfig &config,
                                                 CUresult result) {
  Device &device = kernel.device;
  const uint32_t grid[3] = {config.gridDimX, config.gridDimY, config.gridDimZ};
  std::string what = "cannot launch kernel '" + *kernel.name + "' with " +
                     gridText(grid) + " thread blocks of " +
                     std::to_string(config.blockDimX) + " threads and " +
                     std::to_string(kernel.info.shared) +
                     " bytes of shared memory";
  int blocks = 0;
  if (result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE &&
      device.cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(
          &blocks, kernel.function, static_cast<int>(config.blockDimX),
          config.sharedMemBytes) == CUDA_SUCCESS)
    what += ", of which " +
            std::to_string(int64_t{blocks} * device.physical.multiprocessors) +
            " run at the same time, as all of a cooperative launch must,";
  device.throwFailure(result, what);
}

[[noreturn, gnu::cold]] static void throwShort(const nereid_kernel_t &kernel,
                                               const nereid_launch_t &launch) {
  throw Failure(NEREID_INVALID_ARGUMENT,
                "the block of arguments has " +
                    std::to_string(launch.arguments_size) +
                    " bytes, that of kernel '" + *kernel.name + "' has " +
                    std::to_string(kernel.facts.arguments));
}

/// The device's context is current.
static void submit(nereid_kernel_t &kernel, const CUlaunchConfig &config,
                   void **parameters) {
  Device &device = kernel.device;
  device.launches.note(kernel.name, config.hStream);
  CUresult result = device.cuda.cuLaunchKernelEx(&config, kernel.function,
                                                 parameters, nullptr);
  if (result != CUDA_SUCCESS) [[unlikely]]
    throwRefused(kernel, config, result);
}

/// Parameters that a stack holds without asking how many there are.
static constexpr size_t kFewParameters = 64;

/// Sets the parameters that are in the block. Those of tensor maps are not
/// used.
static void setParameters(const nereid_kernel_t &kernel, const void *block,
                          void **parameters) {
  auto *bytes = static_cast<char *>(const_cast<void *>(block));
  size_t count = kernel.offsets.size();
  const uint32_t *offsets = kernel.offsets.data();
  for (size_t i = 0; i < count; ++i)
    parameters[i] = bytes + offsets[i];
}

// ------------------------------------------------------- what few kernels need

/// Clusters, by what the caller asks for: 0 is as compiled.
static void setCluster(nereid_kernel_t &kernel, const nereid_launch_t &launch,
                       CUlaunchConfig &config,
                       CUlaunchAttribute (&attributes)[4]) {
  const KernelFacts &facts = kernel.facts;
  uint32_t cluster[3];
  for (int i = 0; i < 3; ++i) {
    cluster[i] = launch.cluster[i] ? launch.cluster[i] : facts.cluster[i];
    if (launch.grid[i] % cluster[i])
      throw Failure(NEREID_INVALID_ARGUMENT,
                    "a grid of " + gridText(launch.grid) +
                        " programs cannot be divided into clusters of " +
                        std::to_string(cluster[i]) + " along axis " +
                        std::to_string(i));
  }
  if (__builtin_mul_overflow(cluster[0], facts.blocks, &cluster[0]))
    cluster[0] = UINT32_MAX;
  checkCluster(kernel.device, cluster);
  uint32_t flags = kernel.flags | launch.flags;
  if (kernel.device.physical.major < 9)
    flags &= ~NEREID_LAUNCH_PROGRAMMATIC;
  config.attrs = attributes;
  config.numAttrs = fillAttributes(flags, cluster, attributes);
}

/// The pointers that follow the other parameters.
static void setScratch(nereid_kernel_t &kernel, const nereid_launch_t &launch,
                       uint64_t (&pointers)[2]) {
  const KernelFacts &facts = kernel.facts;
  if (!facts.scratch)
    return;
  uint64_t programs = 0, needed = 0;
  bool isTooLarge =
      __builtin_mul_overflow(uint64_t{launch.grid[0]} * launch.grid[1],
                             launch.grid[2], &programs) ||
      __builtin_mul_overflow(programs, facts.scratch, &needed);
  if (isTooLarge || launch.scratch_size < needed || !launch.scratch)
    throw Failure(NEREID_INVALID_ARGUMENT,
                  "the scratch memory has " +
                      std::to_string(launch.scratch_size) + " bytes, kernel '" +
                      *kernel.name + "' needs " +
                      std::to_string(facts.scratch) + " for each of " +
                      gridText(launch.grid) + " programs");
  uint64_t global = facts.scratch - facts.profileScratch;
  if (global)
    pointers[0] = launch.scratch;
  if (!facts.profileScratch)
    return;
  pointers[1] = launch.scratch + programs * global;
  Device &device = kernel.device;
  device.check(device.cuda.cuMemsetD8Async(pointers[1], 0,
                                           programs * facts.profileScratch,
                                           streamOf(launch.stream)),
               "cannot clear profile scratch");
}

[[gnu::noinline]] static void launchFull(nereid_kernel_t &kernel,
                                         const nereid_launch_t &launch) {
  const KernelFacts &facts = kernel.facts;
  CUlaunchConfig config = kernel.config;
  config.gridDimY = launch.grid[1];
  config.gridDimZ = launch.grid[2];
  config.hStream = streamOf(launch.stream);
  if (__builtin_mul_overflow(launch.grid[0], facts.blocks, &config.gridDimX) ||
      config.gridDimX >
          static_cast<uint32_t>(kernel.device.physical.maxGrid[0]))
    throw Failure(NEREID_OUT_OF_RESOURCES,
                  "a grid of " + gridText(launch.grid) + " programs with " +
                      std::to_string(facts.blocks) +
                      " thread blocks each, device '" +
                      kernel.device.physical.name + "' has at most " +
                      std::to_string(kernel.device.physical.maxGrid[0]) +
                      " blocks along x");
  CUlaunchAttribute attributes[4];
  bool isAsCompiled =
      !(launch.flags & ~kernel.flags) && !launch.cluster[0] &&
      !launch.cluster[1] && !launch.cluster[2] &&
      facts.cluster[0] * facts.cluster[1] * facts.cluster[2] == 1;
  if (!isAsCompiled)
    setCluster(kernel, launch, config, attributes);

  size_t count = kernel.offsets.size();
  auto **parameters =
      static_cast<void **>(alloca((count + 2) * sizeof(void *)));
  setParameters(kernel, launch.arguments, parameters);
  size_t mapCount = kernel.tensorMaps.size();
  auto *mapBytes =
      static_cast<char *>(alloca((mapCount + 1) * sizeof(CUtensorMap)));
  auto *maps = reinterpret_cast<CUtensorMap *>(
      (reinterpret_cast<uintptr_t>(mapBytes) + alignof(CUtensorMap) - 1) /
      alignof(CUtensorMap) * alignof(CUtensorMap));
  ContextScope scope(kernel.device);
  for (size_t i = 0; i < mapCount; ++i)
    kernel.tensorMaps[i]->encode(static_cast<const char *>(launch.arguments),
                                 maps[i]);
  if (mapCount)
    for (size_t i = 0; i < count; ++i)
      if (facts.parameters[i].isTensorMap)
        parameters[i] = &maps[facts.parameters[i].index];
  uint64_t scratch[2] = {};
  setScratch(kernel, launch, scratch);
  for (uint32_t i = 0; i < facts.scratchParameters; ++i)
    parameters[count + i] = &scratch[i];
  submit(kernel, config, parameters);
}

nereid_status_t launch(nereid_kernel_t *kernel, const nereid_launch_t *launch,
                       const nereid_call_t *) {
  kernel->device.requireAlive();
  if (launch->arguments_size < kernel->facts.arguments) [[unlikely]]
    throwShort(*kernel, *launch);
  size_t count = kernel->offsets.size();
  bool isPlain = kernel->isPlain && count <= kFewParameters &&
                 !(launch->flags & ~kernel->flags) && !launch->cluster[0] &&
                 !launch->cluster[1] && !launch->cluster[2];
  if (!isPlain) {
    launchFull(*kernel, *launch);
    return NEREID_OK;
  }
  void *parameters[kFewParameters + 2];
  setParameters(*kernel, launch->arguments, parameters);
  uint64_t none = 0;
  parameters[count] = parameters[count + 1] = &none; // scratch, if it takes any
  CUlaunchConfig config = kernel->config;
  config.gridDimX = launch->grid[0];
  config.gridDimY = launch->grid[1];
  config.gridDimZ = launch->grid[2];
  config.hStream = streamOf(launch->stream);
  ContextScope scope(kernel->device);
  submit(*kernel, config, parameters);
  return NEREID_OK;
}

} // namespace nereid::cuda
