// memory.cpp - allocation, reuse and lookup of device memory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "memory.h"

#include "failure.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace nereid::vulkan {

static constexpr uint64_t kGranule = 256;          // of allocations in a slab
static constexpr uint64_t kSharedSlab = 16u << 20; // for small ones
static constexpr uint64_t kSmall = 4u << 20;       // the largest small one
static constexpr uint64_t kLargeGranule = 1u << 20;
static constexpr uint64_t kMostIdle = 1u << 30; // bytes that are not in use

static uint64_t roundUp(uint64_t value, uint64_t granule) {
  return (value + granule - 1) / granule * granule;
}

static std::string hexadecimal(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx",
                static_cast<unsigned long long>(value));
  return text;
}

Memory::~Memory() {
  for (auto &[address, slab] : slabs)
    device.destroyBuffer(slab->buffer);
  for (auto &[address, import] : imports)
    device.destroyBuffer(import.slab->buffer);
  for (auto &[pointer, buffer] : pinned)
    device.destroyBuffer(buffer);
}

// --------------------------------------------------------------- allocation

void Memory::throwFull(uint64_t size) const {
  uint64_t total = device.physical.memoryBytes;
  throw Failure(NEREID_OUT_OF_RESOURCES,
                "no device memory for " + std::to_string(size) + " bytes: " +
                    std::to_string(usedBytes) + " of " + std::to_string(total) +
                    " bytes are allocated, and one allocation has at most " +
                    std::to_string(device.physical.maxBuffer));
}

Memory::Slab &Memory::addSlab(uint64_t size, bool isShared) {
  auto slab = std::make_unique<Slab>();
  slab->isShared = isShared;
  uint32_t type = device.physical.deviceMemoryType;
  VkResult result = device.createBuffer(size, type, false, slab->buffer);
  if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY ||
      result == VK_ERROR_OUT_OF_HOST_MEMORY ||
      result == VK_ERROR_TOO_MANY_OBJECTS) {
    trim(0);
    result = device.createBuffer(size, type, false, slab->buffer);
  }
  if (statusOf(result) == NEREID_OUT_OF_RESOURCES && result < 0)
    throwFull(size);
  device.check(result, "cannot allocate device memory");
  slab->free.emplace(0, size);
  idleBytes += size;
  uint64_t address = slab->buffer.address;
  return *slabs.emplace(address, std::move(slab)).first->second;
}

/// Finds room in `slab`.
bool Memory::place(Slab &slab, uint64_t size, uint64_t alignment,
                   uint64_t &address) {
  for (auto range = slab.free.begin(); range != slab.free.end(); ++range) {
    auto [offset, space] = *range;
    uint64_t base = slab.buffer.address;
    uint64_t start = roundUp(base + offset, alignment) - base;
    // An allocation in a slab of its own gets all of it.
    uint64_t needed =
        slab.isShared ? start - offset + roundUp(size, kGranule) : space;
    if (start - offset > space || space - (start - offset) < size ||
        needed > space)
      continue;
    slab.free.erase(range);
    if (needed < space)
      slab.free.emplace(offset + needed, space - needed);
    if (!slab.live++)
      idleBytes -= slab.buffer.size;
    address = base + start;
    live.emplace(address, Allocation{&slab, size, offset, needed});
    usedBytes += size;
    return true;
  }
  return false;
}

uint64_t Memory::allocate(uint64_t size, uint64_t alignment) {
  device.requireAlive();
  alignment = std::max(alignment, kGranule);
  std::unique_lock lock(mutex);
  uint64_t most =
      std::min(device.physical.memoryBytes, device.physical.maxBuffer);
  if (size > most || alignment > most)
    throwFull(size);
  bool isSmall = size <= kSmall && alignment <= kSmall;
  uint64_t padded =
      roundUp(size + (alignment > kGranule ? alignment : 0), kLargeGranule);
  uint64_t address = 0;
  for (auto &[base, slab] : slabs) {
    bool fits = isSmall ? slab->isShared
                        : !slab->isShared && !slab->live &&
                              slab->buffer.size <= padded + padded / 4;
    if (fits && place(*slab, size, alignment, address))
      return address;
  }
  Slab &slab = isSmall ? addSlab(kSharedSlab, true)
                       : addSlab(std::min(padded, std::max(most, size)), false);
  if (!place(slab, size, alignment, address))
    throwFull(size);
  return address;
}

/// Merges the space of an allocation with the free space around it.
static void giveBack(std::map<uint64_t, uint64_t> &free, uint64_t offset,
                     uint64_t size) {
  auto next = free.lower_bound(offset);
  if (next != free.end() && offset + size == next->first) {
    size += next->second;
    next = free.erase(next);
  }
  if (next != free.begin()) {
    auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      previous->second += size;
      return;
    }
  }
  free.emplace(offset, size);
}

/// Destroys slabs without allocations until at most `keep` of their bytes are
/// left.
void Memory::trim(uint64_t keep) {
  for (auto slab = slabs.begin(); slab != slabs.end() && idleBytes > keep;) {
    if (slab->second->live) {
      ++slab;
      continue;
    }
    idleBytes -= slab->second->buffer.size;
    device.destroyBuffer(slab->second->buffer);
    slab = slabs.erase(slab);
  }
}

void Memory::remove(std::map<uint64_t, Allocation>::iterator allocation) {
  auto [slab, size, offset, space] = allocation->second;
  live.erase(allocation);
  usedBytes -= size;
  giveBack(slab->free, offset, space);
  if (--slab->live)
    return;
  idleBytes += slab->buffer.size;
  trim(std::min(kMostIdle, device.physical.memoryBytes / 8));
}

void Memory::free(uint64_t address) {
  if (!address)
    return;
  std::unique_lock lock(mutex);
  auto found = live.find(address);
  if (found == live.end() || imports.contains(address))
    throw Failure(NEREID_INVALID_ARGUMENT,
                  "cannot free " + hexadecimal(address) +
                      ", which is not the address of an allocation");
  remove(found);
}

uint64_t Memory::used() const {
  std::shared_lock lock(mutex);
  return usedBytes;
}

// -------------------------------------------------------------- host memory

void *Memory::allocateHost(uint64_t size, uint64_t alignment) {
  device.requireAlive();
  // Mapped memory is aligned to 64 bytes by every driver.
  uint64_t padding = alignment > 64 ? alignment : 0;
  if (size > device.physical.maxBuffer || padding > device.physical.maxBuffer)
    throw Failure(NEREID_OUT_OF_RESOURCES,
                  "no pinned memory for " + std::to_string(size) +
                      " bytes, one allocation has at most " +
                      std::to_string(device.physical.maxBuffer));
  Buffer buffer;
  device.check(device.createBuffer(size + padding,
                                   device.physical.hostMemoryType, true,
                                   buffer),
               "cannot allocate pinned memory");
  std::unique_lock lock(mutex);
  uintptr_t start = reinterpret_cast<uintptr_t>(buffer.mapped);
  uintptr_t pointer = padding ? roundUp(start, alignment) : start;
  pinned.emplace(pointer, buffer);
  return reinterpret_cast<void *>(pointer);
}

void Memory::freeHost(void *pointer) {
  if (!pointer)
    return;
  std::unique_lock lock(mutex);
  auto found = pinned.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == pinned.end())
    throw Failure(NEREID_INVALID_ARGUMENT,
                  "cannot free " +
                      hexadecimal(reinterpret_cast<uintptr_t>(pointer)) +
                      ", which is not pinned memory of this device");
  device.destroyBuffer(found->second);
  pinned.erase(found);
}

uint64_t Memory::import(void *pointer, uint64_t size) {
  device.requireAlive();
  uint64_t page = device.physical.hostPointerAlignment;
  if (!page)
    throw Failure(NEREID_UNIMPLEMENTED,
                  "the driver cannot import host memory: it has no "
                  "VK_EXT_external_memory_host");
  if (!pointer || !size)
    throw Failure(NEREID_INVALID_ARGUMENT,
                  "an import of no memory, a pointer and a size were expected");
  uintptr_t first = reinterpret_cast<uintptr_t>(pointer);
  uintptr_t start = first / page * page;
  std::unique_lock lock(mutex);
  if (auto known = importAddresses.find(first);
      known != importAddresses.end() && live.at(known->second).size >= size) {
    ++imports.at(known->second).count;
    return known->second;
  }
  auto slab = std::make_unique<Slab>();
  device.check(device.createBuffer(roundUp(first - start + size, page),
                                   device.physical.hostMemoryType, false,
                                   slab->buffer,
                                   reinterpret_cast<void *>(start)),
               "cannot import host memory");
  uint64_t address = slab->buffer.address + (first - start);
  if (!live.emplace(address, Allocation{slab.get(), size, 0, 0}).second) {
    device.destroyBuffer(slab->buffer);
    throw Failure(NEREID_INVALID_ARGUMENT,
                  "the host memory at " + hexadecimal(first) +
                      " is already imported, with fewer bytes");
  }
  importAddresses[first] = address;
  imports.emplace(address, Import{std::move(slab), first, 1});
  return address;
}

void Memory::release(uint64_t address) {
  if (!address)
    return;
  std::unique_lock lock(mutex);
  auto found = imports.find(address);
  if (found == imports.end())
    throw Failure(NEREID_INVALID_ARGUMENT,
                  "cannot release " + hexadecimal(address) +
                      ", which is not the address of imported memory");
  if (--found->second.count)
    return;
  live.erase(address);
  importAddresses.erase(found->second.pointer);
  device.destroyBuffer(found->second.slab->buffer);
  imports.erase(found);
}

// ------------------------------------------------------------------- lookup

BufferRange Memory::find(uint64_t address, uint64_t size,
                         const char *what) const {
  std::shared_lock lock(mutex);
  auto next = live.upper_bound(address);
  if (next != live.begin()) {
    const auto &[start, allocation] = *std::prev(next);
    uint64_t inside = address - start;
    if (inside <= allocation.size && size <= allocation.size - inside)
      return {allocation.slab->buffer.handle,
              address - allocation.slab->buffer.address};
  }
  throw Failure(NEREID_INVALID_ARGUMENT,
                std::string(what) + ", " + std::to_string(size) + " bytes at " +
                    hexadecimal(address) +
                    ", is not in an allocation of this device");
}

std::optional<BufferRange> Memory::findHost(const void *pointer,
                                            uint64_t size) const {
  uintptr_t start = reinterpret_cast<uintptr_t>(pointer);
  std::shared_lock lock(mutex);
  auto next = pinned.upper_bound(start);
  if (next != pinned.begin()) {
    const Buffer &buffer = std::prev(next)->second;
    uint64_t inside = start - reinterpret_cast<uintptr_t>(buffer.mapped);
    if (inside <= buffer.size && size <= buffer.size - inside)
      return BufferRange{buffer.handle, inside};
  }
  auto import = importAddresses.upper_bound(start);
  if (import != importAddresses.begin()) {
    const auto &[first, address] = *std::prev(import);
    const Allocation &allocation = live.at(address);
    uint64_t inside = start - first;
    if (inside <= allocation.size && size <= allocation.size - inside)
      return BufferRange{allocation.slab->buffer.handle,
                         address - allocation.slab->buffer.address + inside};
  }
  return std::nullopt;
}

static bool contains(const Buffer &buffer, uint64_t address) {
  return address - buffer.address <= buffer.size;
}

/// The buffer that has `address`; null if there is none.
const Buffer *Memory::bufferOf(uint64_t address) const {
  auto slab = slabs.upper_bound(address);
  if (slab != slabs.begin()) {
    const Buffer &buffer = std::prev(slab)->second->buffer;
    if (contains(buffer, address))
      return &buffer;
  }
  auto import = imports.upper_bound(address);
  if (import == imports.begin())
    return nullptr;
  const Buffer &buffer = std::prev(import)->second.slab->buffer;
  return contains(buffer, address) ? &buffer : nullptr;
}

size_t Memory::findForeign(const void *block,
                           std::span<const uint32_t> offsets) const {
  if (offsets.empty())
    return 0;
  // One lock for all: they are most of what a launch costs. Small allocations
  // share a buffer, so that the last one often has the next address too.
  std::shared_lock lock(mutex);
  const Buffer *last = nullptr;
  for (size_t i = 0; i < offsets.size(); ++i) {
    uint64_t address;
    std::memcpy(&address, static_cast<const char *>(block) + offsets[i],
                sizeof address);
    if (!address || (last && contains(*last, address)))
      continue;
    last = bufferOf(address);
    if (!last)
      return i;
  }
  return offsets.size();
}

} // namespace nereid::vulkan
