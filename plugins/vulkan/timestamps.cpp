// timestamps.cpp - pools of queries.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "timestamps.h"

namespace nereid::vulkan {

static constexpr uint32_t kQueriesPerPool = 128;

Timestamps::~Timestamps() {
  for (VkQueryPool pool : pools)
    device.vk.DestroyQueryPool(device.handle, pool, nullptr);
}

Timestamp Timestamps::take() {
  std::lock_guard lock(mutex);
  if (idle.empty()) {
    VkQueryPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = kQueriesPerPool;
    VkQueryPool pool = VK_NULL_HANDLE;
    device.check(
        device.vk.CreateQueryPool(device.handle, &info, nullptr, &pool),
        "cannot create timestamps");
    pools.push_back(pool);
    for (uint32_t i = kQueriesPerPool; i-- > 0;)
      idle.push_back({pool, i});
  }
  Timestamp taken = idle.back();
  idle.pop_back();
  return taken;
}

void Timestamps::give(Timestamp timestamp) {
  if (!timestamp.pool)
    return;
  std::lock_guard lock(mutex);
  idle.push_back(timestamp);
}

uint64_t Timestamps::read(Timestamp timestamp) {
  uint64_t ticks = 0;
  device.check(device.vk.GetQueryPoolResults(
                   device.handle, timestamp.pool, timestamp.index, 1,
                   sizeof ticks, &ticks, sizeof ticks,
                   VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
               "cannot read a timestamp");
  return ticks;
}

} // namespace nereid::vulkan
