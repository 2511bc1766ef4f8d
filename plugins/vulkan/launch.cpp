// launch.cpp - launches: push constants and the dispatch.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "failure.h"
#include "memory.h"
#include "module.h"
#include "streams.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace nereid::vulkan {

namespace {
/// The workgroups of a launch.
struct Dispatch {
  uint32_t x, y, z;
  bool isFolded = false;
};

/// Push constants, in the layout of image.h. The arguments follow.
struct PushConstants {
  uint32_t grid[3];
  uint32_t reserved;
  uint64_t services;
};
static_assert(sizeof(PushConstants) == kArgumentsOffset);
} // namespace

[[gnu::cold]] static Dispatch foldGrid(const nereid_kernel_t &kernel,
                                       const uint32_t *grid) {
  const PhysicalDevice &device = kernel.device.physical;
  uint64_t programs = 0;
  // The number of a workgroup has 32 bits in the kernel.
  uint64_t most = std::min<uint64_t>(
      uint64_t{device.maxGrid[0]} * device.maxGrid[1], UINT32_MAX);
  bool isTooLarge = __builtin_mul_overflow(uint64_t{grid[0]} * grid[1],
                                           uint64_t{grid[2]}, &programs) ||
                    programs > most;
  if (isTooLarge || !kernel.image.canFold)
    throw Failure(NEREID_OUT_OF_RESOURCES,
                  "a grid of " + std::to_string(grid[0]) + " x " +
                      std::to_string(grid[1]) + " x " +
                      std::to_string(grid[2]) + " programs, device '" +
                      device.name + "' has at most " +
                      std::to_string(device.maxGrid[0]) + " x " +
                      std::to_string(device.maxGrid[1]) + " x " +
                      std::to_string(device.maxGrid[2]) +
                      (isTooLarge ? ", or " + std::to_string(most) + " in all"
                                  : ", and the kernel cannot be folded"));
  uint64_t y = (programs + device.maxGrid[0] - 1) / device.maxGrid[0];
  uint64_t x = (programs + y - 1) / y;
  // Rounding up may pass 2^32, beyond which numbers repeat.
  if (x * y > UINT32_MAX)
    throw Failure(NEREID_OUT_OF_RESOURCES,
                  "a grid of " + std::to_string(programs) +
                      " programs cannot be folded into fewer than 2^32");
  return {static_cast<uint32_t>(x), static_cast<uint32_t>(y), 1, true};
}

static Dispatch dispatchOf(const nereid_kernel_t &kernel,
                           const uint32_t *grid) {
  const uint32_t *most = kernel.device.physical.maxGrid;
  if (grid[0] <= most[0] && grid[1] <= most[1] && grid[2] <= most[2]) [[likely]]
    return {grid[0], grid[1], grid[2]};
  return foldGrid(kernel, grid);
}

[[gnu::cold]] [[noreturn]] static void
throwForeign(const nereid_kernel_t &kernel, const nereid_launch_t &launch,
             uint32_t offset) {
  uint64_t address;
  std::memcpy(&address, static_cast<const char *>(launch.arguments) + offset,
              sizeof address);
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx",
                static_cast<unsigned long long>(address));
  throw Failure(NEREID_INVALID_ARGUMENT,
                "the pointer at byte " + std::to_string(offset) +
                    " of the arguments is " + text +
                    ", which is not an address of device '" +
                    kernel.device.physical.name + "'");
}

static void checkLaunch(const nereid_kernel_t &kernel,
                        const nereid_launch_t &launch) {
  if (launch.arguments_size < kernel.image.facts.arguments)
    throw Failure(NEREID_INVALID_ARGUMENT,
                  "the block of arguments has " +
                      std::to_string(launch.arguments_size) +
                      " bytes, the kernel's has " +
                      std::to_string(kernel.image.facts.arguments));
  uint64_t programs = uint64_t{launch.grid[0]} * launch.grid[1];
  if (launch.flags & NEREID_LAUNCH_COOPERATIVE &&
      (programs > 1 || launch.grid[2] > 1))
    throw Failure(NEREID_UNIMPLEMENTED,
                  "a cooperative launch: Vulkan does not promise that all "
                  "programs run at the same time");
  for (uint32_t size : launch.cluster)
    if (size > 1)
      throw Failure(NEREID_UNIMPLEMENTED,
                    "a cluster of " + std::to_string(size) +
                        " programs: Vulkan has no clusters");
  size_t foreign =
      kernel.device.memory->findForeign(launch.arguments, kernel.pointers);
  if (foreign < kernel.pointers.size()) [[unlikely]]
    throwForeign(kernel, launch, kernel.pointers[foreign]);
}

/// A services block for a launch. Returns its address.
[[gnu::cold]] static uint64_t stageServices(Stream::Recording &recording,
                                            const nereid_kernel_t &kernel) {
  uint64_t size =
      servicesSize(*kernel.sites, kernel.device.settings.printBuffer);
  Staged staged = recording.stage(size, 64);
  PendingReport report = {staged.mapped, size, kernel.sites};
  prepareServices(report);
  recording.report(std::move(report));
  return staged.address;
}

nereid_status_t launch(nereid_kernel_t *kernel, const nereid_launch_t *launch,
                       const nereid_call_t *) {
  Device &device = kernel->device;
  device.requireAlive();
  checkLaunch(*kernel, *launch);
  Stream &stream = device.streams->find(launch->stream);
  const uint32_t *grid = launch->grid;
  Dispatch dispatch = dispatchOf(*kernel, grid);
  VkPipeline pipeline =
      dispatch.isFolded ? kernel->foldedPipeline() : kernel->pipeline;
  const ImageFacts &facts = kernel->image.facts;

  Stream::Recording recording(stream);
  alignas(8) char bytes[kMostPushConstants];
  PushConstants head = {{grid[0], grid[1], grid[2]}, 0, 0};
  if (kernel->sites) [[unlikely]]
    head.services = stageServices(recording, *kernel);
  std::memcpy(bytes, &head, sizeof head);
  char *arguments = bytes + kArgumentsOffset;
  if (facts.place == ArgumentPlace::Block) {
    Staged staged = recording.stage(std::max(facts.arguments, 16u), 64);
    if (facts.arguments)
      std::memcpy(staged.mapped, launch->arguments, facts.arguments);
    std::memcpy(arguments, &staged.address, sizeof staged.address);
  } else if (facts.arguments) {
    std::memset(bytes + facts.pushConstants() - 4, 0, 4); // the padding
    std::memcpy(arguments, launch->arguments, facts.arguments);
  }
  VkCommandBuffer commands = recording.commands(Work::Launch);
  const DeviceFunctions &vk = device.vk;
  if (recording.bind(pipeline))
    vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vk.CmdPushConstants(commands, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                      facts.pushConstants(), bytes);
  vk.CmdDispatch(commands, dispatch.x, dispatch.y, dispatch.z);
  // The block of a print is large, and what it says is wanted soon.
  if (kernel->sites && kernel->sites->hasPrints()) [[unlikely]]
    recording.finishNow();
  else
    recording.finish();
  return NEREID_OK;
}

} // namespace nereid::vulkan
