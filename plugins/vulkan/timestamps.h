// timestamps.h - slots in which the device writes the time.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_TIMESTAMPS_H
#define NEREID_VULKAN_TIMESTAMPS_H

#include "device.h"

namespace nereid::vulkan {

/// One query.
struct Timestamp {
  VkQueryPool pool = VK_NULL_HANDLE;
  uint32_t index = 0;
};

/// All functions [any-thread]; those that fail throw.
class Timestamps {
public:
  explicit Timestamps(Device &device) : device(device) {}
  ~Timestamps();
  Timestamps(const Timestamps &) = delete;
  Timestamps &operator=(const Timestamps &) = delete;

  Timestamp take();
  void give(Timestamp timestamp);
  /// In ticks; the work that writes it has ended.
  uint64_t read(Timestamp timestamp);

private:
  Device &device;
  std::mutex mutex;
  std::vector<VkQueryPool> pools;
  std::vector<Timestamp> idle;
};

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_TIMESTAMPS_H
