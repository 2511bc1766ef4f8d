// memory.h - the memory of the device "cpu": the host's, with reuse of large
// blocks.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_MEMORY_H
#define NEREID_CPU_MEMORY_H

#include "common/fork_guard.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace nereid::cpu {

/// A fresh block of 64 MB costs 60 ms of page faults, which is more than most
/// kernels that use it. So freed blocks of at least kLarge are cached, up to a
/// limit, and reused. All functions [any-thread].
class Memory {
public:
  static constexpr uint64_t kAlign = 64;
  static constexpr uint64_t kLarge = 256 * 1024;

  explicit Memory(uint64_t keepAtMost) : limit(keepAtMost) {}
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// Returns null if out of memory; `size` is not 0, `alignment` a power of two.
  void *allocate(uint64_t size, uint64_t alignment = kAlign);
  void free(void *address);

  /// Bytes cached for reuse.
  uint64_t kept() const;

private:
  struct Block {
    void *address;
    uint64_t size;
  };
  static uint64_t roundUp(uint64_t size);
  void *take(uint64_t size);

  const uint64_t limit;
  mutable plugin::ForkSafeMutex mutex;
  std::unordered_map<void *, uint64_t> used; // large ones
  std::vector<Block> idle;                   // oldest first
  uint64_t idleBytes = 0;
};

/// Bytes that programs of this machine can still allocate.
uint64_t availableMemory();

} // namespace nereid::cpu

#endif // NEREID_CPU_MEMORY_H
