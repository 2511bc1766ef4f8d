// staging.cpp - the pool of mapped buffers.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "staging.h"

#include <algorithm>
#include <bit>

namespace nereid::vulkan {

static constexpr uint64_t kLeast = 64u << 10;
static constexpr uint64_t kMostIdle = 128u << 20;

StagingPool::~StagingPool() {
  for (Buffer &buffer : idle)
    device.destroyBuffer(buffer);
}

Buffer StagingPool::take(uint64_t size) {
  size = std::bit_ceil(std::max(size, kLeast));
  {
    std::lock_guard lock(mutex);
    auto found =
        std::find_if(idle.rbegin(), idle.rend(),
                     [&](const Buffer &buffer) { return buffer.size == size; });
    if (found != idle.rend()) {
      Buffer buffer = *found;
      idle.erase(std::next(found).base());
      idleBytes -= size;
      return buffer;
    }
  }
  Buffer buffer;
  device.check(
      device.createBuffer(size, device.physical.hostMemoryType, true, buffer),
      "cannot allocate staging memory");
  return buffer;
}

void StagingPool::give(Buffer buffer) {
  {
    std::lock_guard lock(mutex);
    if (idleBytes + buffer.size <= kMostIdle) {
      idleBytes += buffer.size;
      idle.push_back(buffer);
      return;
    }
  }
  device.destroyBuffer(buffer);
}

} // namespace nereid::vulkan
