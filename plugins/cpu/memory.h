// memory.h - the memory of the device "cpu": the host's, with large blocks
// kept for the next allocation.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_MEMORY_H
#define NEREID_CPU_MEMORY_H

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace nereid::cpu {

/// A fresh block of 64 MB costs 60 ms of page faults, which is more than most
/// kernels on it. So blocks of kLarge and more are kept when they are freed,
/// up to a limit, and given out again. All functions [any-thread].
class Memory {
public:
  static constexpr uint64_t kAlign = 64;
  static constexpr uint64_t kLarge = 256 * 1024;

  explicit Memory(uint64_t keepAtMost) : limit(keepAtMost) {}
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// Null if there is none; `size` is not 0.
  void *allocate(uint64_t size);
  void free(void *address);

  /// Bytes kept for reuse.
  uint64_t kept() const;

private:
  struct Block {
    void *address;
    uint64_t size;
  };
  static uint64_t roundUp(uint64_t size);
  void *take(uint64_t size);

  const uint64_t limit;
  mutable std::mutex mutex;
  std::unordered_map<void *, uint64_t> used; // large ones
  std::vector<Block> idle;                   // oldest first
  uint64_t idleBytes = 0;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_MEMORY_H
