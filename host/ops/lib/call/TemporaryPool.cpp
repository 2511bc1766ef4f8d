// TemporaryPool.cpp - allocates a block for a stream, and a larger one when it
// does not suffice.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "call/TemporaryPool.h"

#include "call/LastFailure.h"

#include <bit>

namespace nereid::ops {

TemporaryPool::~TemporaryPool() {
  for (const auto &block : blocks)
    (void)nereid_backend_free(backend, device, block->address);
}

Result<TemporaryPool::Lease> TemporaryPool::lease(nereid_stream_t stream,
                                                  uint64_t size) {
  Lease lease;
  {
    std::lock_guard lock(mutex);
    for (const auto &block : blocks)
      if (block->stream == stream)
        lease.block = block.get();
    if (!lease.block) {
      blocks.push_back(std::make_unique<Block>());
      lease.block = blocks.back().get();
      lease.block->stream = stream;
    }
  }
  lease.lock = std::unique_lock(lease.block->mutex);
  if (lease.block->size >= size)
    return lease;
  // Earlier calls on the stream may still use the block.
  if (lease.block->address)
    if (nereid_status_t status =
            nereid_backend_synchronize(backend, device, stream))
      return lastFailure(status);
  (void)nereid_backend_free(backend, device, lease.block->address);
  lease.block->address = 0;
  lease.block->size = 0;
  nereid_allocation_t request = {};
  request.struct_size = sizeof request;
  request.size = std::bit_ceil(size);
  request.alignment = alignment;
  if (nereid_status_t status = nereid_backend_allocate(
          backend, device, &request, &lease.block->address))
    return lastFailure(status);
  lease.block->size = request.size;
  return lease;
}

} // namespace nereid::ops
