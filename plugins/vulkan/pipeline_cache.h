// pipeline_cache.h - the driver's compiled pipelines, kept in a file beside
// Nereid's cache.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_PIPELINE_CACHE_H
#define NEREID_VULKAN_PIPELINE_CACHE_H

#include "device.h"

#include <string>

namespace nereid::vulkan {

/// A file that is missing, damaged, not ours or of another driver is an empty
/// cache. What cannot be written is lost: it is only a cache.
class PipelineCache {
public:
  explicit PipelineCache(Device &device);
  ~PipelineCache();
  PipelineCache(const PipelineCache &) = delete;
  PipelineCache &operator=(const PipelineCache &) = delete;

  VkPipelineCache handle = VK_NULL_HANDLE;
  std::atomic<bool> isUsed{false}; ///< a pipeline was created with it

private:
  std::string data() const;

  Device &device;
  std::string path; // empty: no file
  uint64_t loadedDigest = 0;
};

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_PIPELINE_CACHE_H
