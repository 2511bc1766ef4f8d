// statistics.cpp - reads the statistics of a pipeline.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "statistics.h"

#include <string_view>
#include <vector>

namespace nereid::vulkan {

namespace {
/// Drivers name what they count as they like.
struct KnownName {
  std::string_view name;
  int32_t KernelStatistics::*member;
  int32_t unit; ///< of the driver's count, in registers of a thread
};
} // namespace

static constexpr KnownName kNames[] = {
    // NVIDIA, the second in bytes.
    {"Register Count", &KernelStatistics::registers, 1},
    {"Local Memory Size", &KernelStatistics::spills, 4},
    // Mesa: AMD, then Intel.
    {"VGPRs", &KernelStatistics::registers, 1},
    {"Spilled VGPRs", &KernelStatistics::spills, 1},
    {"Spill count", &KernelStatistics::spills, 1},
};

static int64_t numberOf(const VkPipelineExecutableStatisticKHR &statistic) {
  switch (statistic.format) {
  case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
    return statistic.value.i64;
  case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
    return static_cast<int64_t>(statistic.value.u64);
  default:
    return -1;
  }
}

KernelStatistics statisticsOf(const Device &device, VkPipeline pipeline) {
  KernelStatistics result;
  auto query = device.vk.GetPipelineExecutableStatisticsKHR;
  if (!query)
    return result;
  VkPipelineExecutableInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR;
  info.pipeline = pipeline;
  uint32_t count = 0;
  if (query(device.handle, &info, &count, nullptr) != VK_SUCCESS)
    return result;
  VkPipelineExecutableStatisticKHR empty{};
  empty.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
  std::vector<VkPipelineExecutableStatisticKHR> found(count, empty);
  if (query(device.handle, &info, &count, found.data()) != VK_SUCCESS)
    return result;
  found.resize(count);
  for (const VkPipelineExecutableStatisticKHR &statistic : found)
    for (const KnownName &known : kNames)
      if (statistic.name == known.name && numberOf(statistic) >= 0)
        result.*known.member =
            static_cast<int32_t>(numberOf(statistic) / known.unit);
  return result;
}

} // namespace nereid::vulkan
