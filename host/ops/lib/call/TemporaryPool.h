// TemporaryPool.h - memory for the temporaries of calls, one block for each
// stream.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_CALL_TEMPORARY_POOL_H
#define NEREID_OPS_CALL_TEMPORARY_POOL_H

#include "nereid/host.h"
#include "support/Guard.h"

#include <memory>
#include <mutex>
#include <vector>

namespace nereid::ops {

/// The work of a stream runs in order, so one call may use the memory of the
/// call before it, as long as the launches of both do not mix: a Lease is held
/// while a call is put on its stream.
class TemporaryPool {
  struct Block {
    nereid_stream_t stream = 0;
    std::mutex mutex;
    nereid_address_t address = 0;
    uint64_t size = 0;
  };

public:
  class Lease {
  public:
    nereid_address_t address() const { return block ? block->address : 0; }

  private:
    friend class TemporaryPool;
    Block *block = nullptr;
    std::unique_lock<std::mutex> lock;
  };

  TemporaryPool(nereid_backend_t *backend, uint32_t device)
      : backend(backend), device(device) {}
  /// The device is idle.
  ~TemporaryPool();
  TemporaryPool(const TemporaryPool &) = delete;
  TemporaryPool &operator=(const TemporaryPool &) = delete;

  static constexpr uint64_t alignment = 4096;
  /// At least \p size bytes with that alignment. Waits for the stream when a
  /// larger block is needed than ever before.
  Result<Lease> lease(nereid_stream_t stream, uint64_t size);

private:
  nereid_backend_t *backend;
  uint32_t device;
  std::mutex mutex; // of the list
  std::vector<std::unique_ptr<Block>> blocks;
};

} // namespace nereid::ops

#endif // NEREID_OPS_CALL_TEMPORARY_POOL_H
