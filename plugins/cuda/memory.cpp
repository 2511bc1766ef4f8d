// memory.cpp - allocates, pins and imports memory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "memory.h"

#include <cstdio>

namespace nereid::cuda {

/// What the library aligns allocations to.
static constexpr uint64_t kAlignment = 256;
static constexpr uint64_t kHostAlignment = 4096;
/// Freed memory that the pool keeps for the next allocations.
static constexpr uint64_t kKeptBytes = uint64_t{256} << 20;

/// `size` bytes, and as many more as `alignment` needs beyond `given`.
static uint64_t padded(uint64_t size, uint64_t alignment, uint64_t given) {
  uint64_t bytes = 0;
  if (__builtin_add_overflow(size, alignment > given ? alignment : 0, &bytes))
    throw Failure(NEREID_OUT_OF_RESOURCES,
                  "cannot allocate " + std::to_string(size) + " bytes");
  return bytes;
}

static uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

Memory::Memory(Device &device) : device(device) {
  if (!device.physical.hasMemoryPools)
    return;
  device.check(device.cuda.cuStreamCreateWithPriority(
                   &stream, CU_STREAM_NON_BLOCKING, 0),
               "cannot create a stream");
  createPool();
}

/// Without a pool, as under some virtualization, the driver's other functions
/// serve.
void Memory::createPool() {
  CUmemPoolProps properties = {};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device.physical.handle};
  if (device.cuda.cuMemPoolCreate(&pool, &properties) != CUDA_SUCCESS) {
    pool = nullptr;
    return;
  }
  uint64_t kept = kKeptBytes;
  device.cuda.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                                    &kept);
}

Memory::~Memory() {
  if (!device.isLost()) {
    for (auto [address, base] : live)
      freeBase(base);
    for (auto [pointer, base] : pinned)
      device.cuda.cuMemFreeHost(base);
    for (const auto &[address, import] : imports)
      if (import.isRegistered)
        device.cuda.cuMemHostUnregister(import.pointer);
    if (stream)
      device.cuda.cuStreamSynchronize(stream);
  }
  if (pool)
    device.cuda.cuMemPoolDestroy(pool);
  if (stream)
    device.cuda.cuStreamDestroy(stream);
}

CUresult Memory::allocateOnce(CUdeviceptr &address, uint64_t size) {
  if (!pool)
    return device.cuda.cuMemAlloc(&address, size);
  CUresult result =
      device.cuda.cuMemAllocFromPoolAsync(&address, size, pool, stream);
  return result == CUDA_SUCCESS ? device.cuda.cuStreamSynchronize(stream)
                                : result;
}

void Memory::throwFull(CUresult result, uint64_t size, const char *what) const {
  std::string text =
      "cannot allocate " + std::to_string(size) + " bytes of " + what;
  size_t free = 0, total = 0;
  if (result == CUDA_ERROR_OUT_OF_MEMORY &&
      device.cuda.cuMemGetInfo(&free, &total) == CUDA_SUCCESS)
    text += " (the device has " + std::to_string(total) + ", of which " +
            std::to_string(free) + " are free)";
  device.throwFailure(result, text);
}

CUdeviceptr Memory::allocate(uint64_t size, uint64_t alignment) {
  device.requireAlive();
  uint64_t bytes = padded(size, alignment, kAlignment);
  ContextScope scope(device);
  CUdeviceptr base = 0;
  CUresult result = allocateOnce(base, bytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY && pool) {
    // What was freed and is too small for this may be most of the device.
    device.cuda.cuStreamSynchronize(stream);
    device.cuda.cuMemPoolTrimTo(pool, 0);
    result = allocateOnce(base, bytes);
  }
  if (result != CUDA_SUCCESS)
    throwFull(result, size, "device memory");
  CUdeviceptr address = alignUp(base, alignment);
  std::lock_guard lock(mutex);
  live[address] = base;
  return address;
}

void Memory::freeBase(CUdeviceptr base) {
  device.check(pool ? device.cuda.cuMemFreeAsync(base, stream)
                    : device.cuda.cuMemFree(base),
               "cannot free memory");
}

/// "0x7f0000000000"
static std::string hexText(uint64_t address) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx",
                static_cast<unsigned long long>(address));
  return text;
}

void Memory::free(CUdeviceptr address) {
  if (!address)
    return;
  CUdeviceptr base = 0;
  {
    std::lock_guard lock(mutex);
    auto found = live.find(address);
    if (found == live.end())
      throw Failure(NEREID_INVALID_ARGUMENT, "no memory at address " +
                                                 hexText(address) +
                                                 " is allocated on device '" +
                                                 device.physical.name + "'");
    base = found->second;
    live.erase(found);
  }
  device.requireAlive();
  ContextScope scope(device);
  freeBase(base);
}

void *Memory::allocateHost(uint64_t size, uint64_t alignment) {
  device.requireAlive();
  uint64_t bytes = padded(size, alignment, kHostAlignment);
  ContextScope scope(device);
  void *base = nullptr;
  CUresult result =
      device.cuda.cuMemHostAlloc(&base, bytes, CU_MEMHOSTALLOC_PORTABLE);
  if (result != CUDA_SUCCESS)
    throwFull(result, size, "pinned host memory");
  void *pointer = reinterpret_cast<void *>(
      alignUp(reinterpret_cast<uintptr_t>(base), alignment));
  std::lock_guard lock(mutex);
  pinned[pointer] = base;
  return pointer;
}

void Memory::freeHost(void *pointer) {
  if (!pointer)
    return;
  void *base = nullptr;
  {
    std::lock_guard lock(mutex);
    auto found = pinned.find(pointer);
    if (found == pinned.end())
      throw Failure(NEREID_INVALID_ARGUMENT,
                    "no pinned memory at " +
                        hexText(reinterpret_cast<uintptr_t>(pointer)) +
                        " is allocated for device '" + device.physical.name +
                        "'");
    base = found->second;
    pinned.erase(found);
  }
  ContextScope scope(device);
  device.check(device.cuda.cuMemFreeHost(base), "cannot free pinned memory");
}

bool Memory::isPageable(const void *pointer) const {
  uint32_t type = 0;
  return device.cuda.cuPointerGetAttribute(
             &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
             reinterpret_cast<CUdeviceptr>(pointer)) != CUDA_SUCCESS ||
         !type;
}

CUdeviceptr Memory::importHost(void *pointer, uint64_t size) {
  device.requireAlive();
  if (!pointer || !size)
    throw Failure(NEREID_INVALID_ARGUMENT,
                  "cannot import " + std::to_string(size) + " bytes at " +
                      hexText(reinterpret_cast<uintptr_t>(pointer)));
  ContextScope scope(device);
  std::lock_guard lock(mutex);
  for (auto &[address, import] : imports)
    if (import.pointer == pointer) {
      ++import.count;
      return address;
    }
  // The program may have pinned it itself.
  bool isRegistered = isPageable(pointer);
  if (isRegistered)
    device.check(
        device.cuda.cuMemHostRegister(pointer, size,
                                      CU_MEMHOSTREGISTER_PORTABLE |
                                          CU_MEMHOSTREGISTER_DEVICEMAP),
        "cannot import host memory");
  CUdeviceptr address = 0;
  CUresult result = device.cuda.cuMemHostGetDevicePointer(&address, pointer, 0);
  if (result != CUDA_SUCCESS && isRegistered)
    device.cuda.cuMemHostUnregister(pointer);
  device.check(result, "cannot import host memory");
  imports[address] = {pointer, 1, isRegistered};
  return address;
}

void Memory::checkImported(CUdeviceptr address) {
  device.requireAlive();
  ContextScope scope(device);
  int ordinal = -1;
  CUresult result = device.cuda.cuPointerGetAttribute(
      &ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address);
  if (result == CUDA_ERROR_INVALID_VALUE)
    throw Failure(NEREID_INVALID_ARGUMENT,
                  "address " + hexText(address) +
                      " is not memory of CUDA, memory of device '" +
                      device.physical.name + "' was expected");
  device.check(result, "cannot import memory");
  if (ordinal != device.physical.handle)
    throw Failure(NEREID_INVALID_ARGUMENT,
                  "address " + hexText(address) + " is memory of device " +
                      std::to_string(ordinal) + ", of device " +
                      std::to_string(device.physical.handle) + " was expected");
}

void Memory::release(CUdeviceptr address) {
  void *pointer = nullptr;
  {
    std::lock_guard lock(mutex);
    auto found = imports.find(address);
    if (found == imports.end() || --found->second.count)
      return;
    if (found->second.isRegistered)
      pointer = found->second.pointer;
    imports.erase(found);
  }
  if (!pointer)
    return;
  ContextScope scope(device);
  device.check(device.cuda.cuMemHostUnregister(pointer),
               "cannot end the import of host memory");
}

void Memory::enablePeer(const PhysicalDevice &peer) {
  int canAccess = 0;
  uint64_t bit = peer.handle < 64 ? uint64_t{1} << peer.handle : 0;
  if (!pool || peers.fetch_or(bit) & bit ||
      device.cuda.cuDeviceCanAccessPeer(
          &canAccess, peer.handle, device.physical.handle) != CUDA_SUCCESS ||
      !canAccess)
    return;
  CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, peer.handle},
                            CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  device.cuda.cuMemPoolSetAccess(pool, &access, 1);
}

void Memory::flushCache(CUstream stream) {
  uint64_t bytes = 2 * static_cast<uint64_t>(device.physical.l2Bytes);
  if (!bytes)
    return;
  device.requireAlive();
  CUdeviceptr buffer = 0;
  {
    std::lock_guard lock(flushMutex);
    if (!flushBuffer)
      flushBuffer = allocate(bytes, kAlignment);
    buffer = flushBuffer;
  }
  ContextScope scope(device);
  device.check(device.cuda.cuMemsetD8Async(buffer, 0, bytes, stream),
               "cannot evict the caches");
}

} // namespace nereid::cuda
