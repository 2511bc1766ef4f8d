// benchmark.cpp - extension "nereid.benchmark/1": aids for measuring.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "copies.h"
#include "extensions.h"
#include "failure.h"
#include "memory.h"
#include "state.h"
#include "streams.h"

namespace nereid::vulkan {

using namespace plugin;

// Larger than the caches of all devices; Vulkan does not tell their size.
static constexpr uint64_t kEvictionSize = 256u << 20;

uint64_t Device::evictionBuffer() {
  std::lock_guard lock(evictionMutex);
  if (!eviction)
    eviction = memory->allocate(kEvictionSize, 64);
  return eviction;
}

static nereid_status_t flushCache(nereid_state_t *state, uint32_t device,
                                  nereid_stream_t stream,
                                  const nereid_call_t *) {
  Device &opened = state->device(device);
  uint32_t zero = 0;
  nereid_fill_t request = {};
  request.struct_size = sizeof request;
  request.stream = stream;
  request.destination = opened.evictionBuffer();
  request.count = kEvictionSize / sizeof zero;
  request.pattern = &zero;
  request.pattern_size = sizeof zero;
  fill(opened.streams->find(stream), request);
  return NEREID_OK;
}

const nereid_benchmark_t kBenchmark = {sizeof(nereid_benchmark_t), 0,
                                       kGuarded<flushCache>};

} // namespace nereid::vulkan
