// module.cpp - from the bytes of an image to a pipeline.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "module.h"

#include "capabilities.h"
#include "failure.h"
#include "pipeline_cache.h"
#include "state.h"
#include "statistics.h"

#include <algorithm>
#include <charconv>

namespace nereid::vulkan {

using namespace plugin;

// ------------------------------------------------------------------- checks

static void requireAtMost(uint64_t found, uint64_t limit, const char *what,
                          const PhysicalDevice &device) {
  if (found > limit)
    throw Failure(NEREID_OUT_OF_RESOURCES,
                  "the kernel needs " + std::to_string(found) + ' ' + what +
                      ", device '" + device.name + "' has " +
                      std::to_string(limit));
}

void checkImage(const PhysicalDevice &device, const Image &image) {
  const ImageFacts &facts = image.facts;
  requireAtMost(facts.workgroup, device.maxThreads, "threads of a program",
                device);
  for (int axis = 0; axis < 3; ++axis)
    requireAtMost(image.localSize[axis], device.maxWorkgroup[axis],
                  "threads along one axis", device);
  requireAtMost(facts.shared, device.sharedBytes, "bytes of shared memory",
                device);
  requireAtMost(facts.pushConstants(),
                std::min(device.pushBytes, kMostPushConstants),
                "bytes of push constants", device);
  std::string missing = missingFeature(image, device);
  if (!missing.empty())
    throw Failure(NEREID_INCOMPATIBLE, "the kernel was compiled for a device "
                                       "with " +
                                           missing + ", device '" +
                                           device.name + "' lacks it");
  bool fits = device.canRequireSubgroup
                  ? facts.subgroup >= device.minSubgroup &&
                        facts.subgroup <= device.maxSubgroup
                  : facts.subgroup == device.subgroupSize;
  if (facts.subgroup && !fits)
    throw Failure(NEREID_INCOMPATIBLE,
                  "the kernel was compiled for subgroups of " +
                      std::to_string(facts.subgroup) + ", device '" +
                      device.name + "' has " +
                      std::to_string(device.minSubgroup) + " to " +
                      std::to_string(device.maxSubgroup));
}

// ----------------------------------------------------------------- metadata

static const nereid_value_t *findValue(const nereid_image_t &image,
                                       std::string_view name,
                                       nereid_type_t type) {
  for (uint64_t i = 0; i < image.metadata_count; ++i)
    if (view(image.metadata[i].name) == name && image.metadata[i].type == type)
      return &image.metadata[i];
  return nullptr;
}

/// Bytes of an argument in the standard layout.
static uint32_t sizeOfType(std::string_view type) {
  if (type.starts_with('*'))
    return 8;
  size_t digit = type.find_first_of("0123456789");
  uint32_t bits = 0;
  if (digit == type.npos ||
      std::from_chars(type.data() + digit, type.data() + type.size(), bits)
              .ec != std::errc())
    return 0;
  return std::max(bits / 8, 1u);
}

/// The offsets of pointers in the argument block, as far as the metadata says
/// where they are: the addresses in a launch are checked.
static std::vector<uint32_t> pointerOffsets(const nereid_image_t &image,
                                            uint32_t arguments) {
  const nereid_value_t *types =
      findValue(image, "argument_types", NEREID_TYPE_STRING_LIST);
  const nereid_value_t *offsets =
      findValue(image, "argument_offsets", NEREID_TYPE_I64_LIST);
  std::vector<uint32_t> out;
  if (!types || (offsets && offsets->list_size != types->list_size))
    return out;
  uint64_t end = 0;
  for (uint64_t i = 0; i < types->list_size; ++i) {
    std::string_view type =
        view(static_cast<const nereid_string_t *>(types->list)[i]);
    uint64_t size = sizeOfType(type);
    if (!size)
      return out;
    uint64_t offset = (end + size - 1) / size * size;
    if (offsets)
      offset =
          static_cast<uint64_t>(static_cast<const int64_t *>(offsets->list)[i]);
    end = offset + size;
    if (type.starts_with('*') && offset < arguments && end <= arguments)
      out.push_back(static_cast<uint32_t>(offset));
  }
  return out;
}

// -------------------------------------------------------------------- slots

nereid_status_t loadImage(nereid_state_t *state, uint32_t device,
                          const nereid_image_t *image,
                          nereid_module_t **outModule, const nereid_call_t *) {
  Device &target = state->device(device);
  target.requireAlive();
  Image read;
  std::string problem = readImage(
      {static_cast<const char *>(image->bytes.data), image->bytes.size}, read);
  if (!problem.empty())
    throw Failure(NEREID_INCOMPATIBLE, "bad image: " + problem);
  checkImage(target.physical, read);
  std::vector<uint32_t> pointers = pointerOffsets(*image, read.facts.arguments);
  auto *module = new nereid_module_t{{target, std::move(read)}};
  module->kernel.pointers = std::move(pointers);
  *outModule = module;
  return NEREID_OK;
}

nereid_status_t unloadModule(nereid_state_t *, nereid_module_t *module,
                             const nereid_call_t *) {
  delete module;
  return NEREID_OK;
}

nereid_status_t getKernel(nereid_state_t *, nereid_module_t *module,
                          nereid_string_t name, nereid_kernel_t **outKernel,
                          nereid_kernel_info_t *outInfo,
                          const nereid_call_t *) {
  const Image &image = module->kernel.image;
  if (view(name) != image.entry)
    throw Failure(NEREID_NOT_FOUND, "the image holds kernel '" + image.entry +
                                        "', not '" + std::string(view(name)) +
                                        "'");
  if (outInfo) {
    nereid_kernel_info_t info = {};
    KernelStatistics statistics =
        statisticsOf(module->kernel.device, module->kernel.pipeline);
    info.registers = statistics.registers;
    info.spills = statistics.spills;
    info.max_threads = static_cast<int32_t>(image.facts.workgroup);
    info.shared = image.facts.shared;
    copyOut(outInfo, info);
  }
  *outKernel = &module->kernel;
  return NEREID_OK;
}

} // namespace nereid::vulkan

// ---------------------------------------------------------------- pipelines

using namespace nereid::vulkan;

nereid_kernel_t::nereid_kernel_t(Device &device, Image given)
    : device(device), image(std::move(given)) {
  if (image.facts.needsServices)
    sites = std::make_shared<const KernelSites>(
        KernelSites{image.entry, image.sites});
  try {
    VkShaderModuleCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    info.codeSize = image.words.size() * sizeof(uint32_t);
    info.pCode = image.words.data();
    device.check(
        device.vk.CreateShaderModule(device.handle, &info, nullptr, &module),
        "the driver refuses the kernel's module");
    VkPushConstantRange range{};
    range.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    range.size = image.facts.pushConstants();
    VkPipelineLayoutCreateInfo pushes{};
    pushes.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    pushes.pushConstantRangeCount = 1;
    pushes.pPushConstantRanges = &range;
    device.check(device.vk.CreatePipelineLayout(device.handle, &pushes, nullptr,
                                                &layout),
                 "cannot create a pipeline layout");
    pipeline = createPipeline(false);
  } catch (...) {
    destroy();
    throw;
  }
}

nereid_kernel_t::~nereid_kernel_t() { destroy(); }

void nereid_kernel_t::destroy() {
  device.vk.DestroyPipeline(device.handle, folded, nullptr);
  device.vk.DestroyPipeline(device.handle, pipeline, nullptr);
  device.vk.DestroyPipelineLayout(device.handle, layout, nullptr);
  device.vk.DestroyShaderModule(device.handle, module, nullptr);
}

VkPipeline nereid_kernel_t::createPipeline(bool isFolded) {
  const PhysicalDevice &physical = device.physical;
  uint32_t subgroup = image.facts.subgroup;
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size{};
  size.sType =
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  size.requiredSubgroupSize = subgroup;
  VkBool32 value = isFolded;
  VkSpecializationMapEntry entry{};
  entry.size = sizeof value;
  VkSpecializationInfo constants{};
  constants.mapEntryCount = 1;
  constants.pMapEntries = &entry;
  constants.dataSize = sizeof value;
  constants.pData = &value;
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = image.entry.c_str();
  info.stage.pSpecializationInfo = image.canFold ? &constants : nullptr;
  if (subgroup && physical.canRequireSubgroup) {
    info.stage.pNext = &size;
    // Full subgroups need whole ones along x.
    if (physical.hasFullSubgroups && image.localSize[0] % subgroup == 0)
      info.stage.flags =
          VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  }
  info.layout = layout;
  if (device.vk.GetPipelineExecutableStatisticsKHR)
    info.flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
  VkPipeline created = VK_NULL_HANDLE;
  device.check(device.vk.CreateComputePipelines(device.handle,
                                                device.pipelines->handle, 1,
                                                &info, nullptr, &created),
               "the driver cannot compile the kernel");
  device.pipelines->isUsed = true;
  return created;
}

VkPipeline nereid_kernel_t::foldedPipeline() {
  std::lock_guard lock(mutex);
  if (!folded)
    folded = createPipeline(true);
  return folded;
}
