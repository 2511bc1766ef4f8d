// statistics.h - what the driver says about the code of a kernel.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_STATISTICS_H
#define NEREID_VULKAN_STATISTICS_H

#include "device.h"

namespace nereid::vulkan {

/// Of one thread; -1 where the driver does not say.
struct KernelStatistics {
  int32_t registers = -1; ///< of 32 bits
  int32_t spills = -1;    ///< of those, kept in memory
};

/// Of a pipeline that was created to be asked.
KernelStatistics statisticsOf(const Device &device, VkPipeline pipeline);

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_STATISTICS_H
