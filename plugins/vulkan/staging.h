// staging.h - host memory through which bytes reach the device: copies,
// patterns and argument blocks.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_STAGING_H
#define NEREID_VULKAN_STAGING_H

#include "device.h"

namespace nereid::vulkan {

/// Part of a mapped buffer.
struct Staged {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0;
  uint64_t address = 0; ///< of the device
  char *mapped = nullptr;
};

/// Mapped buffers that are used again. [any-thread]
class StagingPool {
public:
  explicit StagingPool(Device &device) : device(device) {}
  ~StagingPool();
  StagingPool(const StagingPool &) = delete;
  StagingPool &operator=(const StagingPool &) = delete;

  /// A buffer of at least `size` bytes; throws if there is no memory.
  Buffer take(uint64_t size);
  void give(Buffer buffer);

private:
  Device &device;
  std::mutex mutex;
  std::vector<Buffer> idle;
  uint64_t idleBytes = 0;
};

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_STAGING_H
