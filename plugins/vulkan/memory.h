// memory.h - the memory of a device: a pool of buffers, pinned host memory, and
// imported host memory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_MEMORY_H
#define NEREID_VULKAN_MEMORY_H

#include "device.h"

#include <map>
#include <optional>
#include <shared_mutex>
#include <span>

namespace nereid::vulkan {

/// Where an address is in a buffer.
struct BufferRange {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0;
};

/// Of an allocation whose alignment is not given.
inline constexpr uint64_t kDefaultAlignment = 64;

/// Drivers limit the number of allocations (4096 is common) and need long for
/// each, so small ones share a buffer, and buffers of large ones are reused.
/// All functions [any-thread]; those that fail throw.
class Memory {
public:
  explicit Memory(Device &device) : device(device) {}
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  uint64_t allocate(uint64_t size, uint64_t alignment);
  void free(uint64_t address);

  void *allocateHost(uint64_t size, uint64_t alignment);
  void freeHost(void *pointer);

  /// Makes the host's memory at `pointer` usable in kernels.
  uint64_t import(void *pointer, uint64_t size);
  void release(uint64_t address);

  /// The buffer of `size` bytes at `address`, which must be in one allocation.
  /// `what` it is for: "the destination".
  BufferRange find(uint64_t address, uint64_t size, const char *what) const;
  /// The buffer of host memory that the device can access.
  std::optional<BufferRange> findHost(const void *pointer, uint64_t size) const;
  /// The first of the addresses at `offsets` of `block` that is neither 0, nor
  /// in a buffer of this device or at its end: its index; their number if all
  /// are.
  size_t findForeign(const void *block,
                     std::span<const uint32_t> offsets) const;

  /// Bytes in allocations.
  uint64_t used() const;

private:
  struct Slab {
    Buffer buffer;
    bool isShared = false;             // between small allocations
    std::map<uint64_t, uint64_t> free; // offset -> size
    uint64_t live = 0;                 // allocations in it
  };
  struct Allocation {
    Slab *slab;
    uint64_t size;
    uint64_t offset, space; // what it occupies in the slab
  };
  struct Import {
    std::unique_ptr<Slab> slab; // of whole pages, which imports may share
    uintptr_t pointer;
    uint64_t count; // how often it was imported
  };

  Slab &addSlab(uint64_t size, bool isShared);
  bool place(Slab &slab, uint64_t size, uint64_t alignment, uint64_t &address);
  void trim(uint64_t keep);
  void remove(std::map<uint64_t, Allocation>::iterator allocation);
  const Buffer *bufferOf(uint64_t address) const;
  [[noreturn]] void throwFull(uint64_t size) const;

  Device &device;
  mutable std::shared_mutex mutex;
  std::map<uint64_t, std::unique_ptr<Slab>> slabs; // by address
  std::map<uint64_t, Allocation> live;             // by address
  std::map<uintptr_t, Buffer> pinned;              // by pointer
  std::map<uint64_t, Import> imports;              // by address
  std::map<uintptr_t, uint64_t> importAddresses;   // by pointer
  uint64_t usedBytes = 0, idleBytes = 0;
};

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_MEMORY_H
