// memory.cpp - allocation and reuse of blocks.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "memory.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/mman.h>

namespace nereid::cpu {

// The size of the processor's large pages.
static constexpr uint64_t kHuge = 2 * 1024 * 1024;

Memory::~Memory() {
  for (const Block &block : idle)
    std::free(block.address);
  // The host program may still use blocks that it has not freed.
}

/// Rounds sizes up in steps of an eighth, so that blocks of similar size are
/// shared.
uint64_t Memory::roundUp(uint64_t size) {
  if (size > UINT64_MAX / 2)
    return 0;
  if (size < kLarge)
    return (size + kAlign - 1) / kAlign * kAlign;
  uint64_t step = std::bit_floor(size) / 8;
  return (size + step - 1) / step * step;
}

/// The last freed idle block of exactly this size, the one most likely still in
/// a cache.
void *Memory::take(uint64_t size) {
  for (size_t i = idle.size(); i-- > 0;) {
    if (idle[i].size != size)
      continue;
    void *address = idle[i].address;
    idle.erase(idle.begin() + static_cast<ptrdiff_t>(i));
    idleBytes -= size;
    return address;
  }
  return nullptr;
}

void *Memory::allocate(uint64_t size, uint64_t alignment) {
  uint64_t rounded = roundUp(size);
  if (!rounded || alignment > UINT64_MAX / 4)
    return nullptr;
  if (alignment > kAlign) // rare, so such blocks are not cached
    return std::aligned_alloc(alignment,
                              (size + alignment - 1) / alignment * alignment);
  if (rounded < kLarge)
    return std::aligned_alloc(kAlign, rounded);
  std::lock_guard lock(mutex);
  void *address = take(rounded);
  if (!address) {
    bool huge = rounded >= kHuge;
    address = std::aligned_alloc(huge ? kHuge : kAlign, rounded);
    if (!address)
      return nullptr;
    if (huge)
      madvise(address, rounded, MADV_HUGEPAGE);
  }
  used.emplace(address, rounded);
  return address;
}

void Memory::free(void *address) {
  if (!address)
    return;
  std::unique_lock lock(mutex);
  auto found = used.find(address);
  if (found == used.end()) {
    lock.unlock();
    std::free(address);
    return;
  }
  uint64_t size = found->second;
  used.erase(found);
  if (size > limit) {
    lock.unlock();
    std::free(address);
    return;
  }
  idle.push_back({address, size});
  idleBytes += size;
  while (idleBytes > limit) {
    idleBytes -= idle.front().size;
    std::free(idle.front().address);
    idle.erase(idle.begin());
  }
}

uint64_t Memory::kept() const {
  std::lock_guard lock(mutex);
  return idleBytes;
}

uint64_t availableMemory() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  for (uint64_t kilobytes; file >> name >> kilobytes >> unit;)
    if (name == "MemAvailable:")
      return kilobytes * 1024;
  return 0;
}

} // namespace nereid::cpu
