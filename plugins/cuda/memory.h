// memory.h - the memory of a device, pinned host memory, and imported memory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CUDA_MEMORY_H
#define NEREID_CUDA_MEMORY_H

#include "device.h"

#include <unordered_map>

namespace nereid::cuda {

/// Memory comes from a pool of our own: cuMemAlloc and cuMemFree wait for the
/// whole device, which a kernel that waits for later work would block for good.
/// A pool orders its memory by a stream; ours has no other work, so that an
/// allocation is complete when the stream was waited for.
///
/// All functions [any-thread]; those that fail throw.
class Memory {
public:
  explicit Memory(Device &device);
  /// Frees what is left.
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  CUdeviceptr allocate(uint64_t size, uint64_t alignment);
  void free(CUdeviceptr address);

  void *allocateHost(uint64_t size, uint64_t alignment);
  void freeHost(void *pointer);

  /// Makes the host's memory at `pointer` usable in kernels.
  CUdeviceptr importHost(void *pointer, uint64_t size);
  /// Checks that `address` is memory of this device.
  void checkImported(CUdeviceptr address);
  /// Ends an import; does nothing for one that `checkImported` has passed.
  void release(CUdeviceptr address);

  /// Whether copies of the host's memory at `pointer` wait for the stream:
  /// memory that is not pinned.
  bool isPageable(const void *pointer) const;

  /// Lets kernels of `peer` access what this device allocates. Does nothing
  /// where the machine cannot do that.
  void enablePeer(const PhysicalDevice &peer);

  /// Overwrites the caches of the device, on `stream`.
  void flushCache(CUstream stream);

private:
  struct Import {
    void *pointer;
    uint64_t count; // how often it was imported
    bool isRegistered;
  };

  void createPool();
  CUresult allocateOnce(CUdeviceptr &address, uint64_t size);
  void freeBase(CUdeviceptr base);
  [[noreturn]] void throwFull(CUresult result, uint64_t size,
                              const char *what) const;

  Device &device;
  CUstream stream = nullptr;   // that orders the pool
  CUmemoryPool pool = nullptr; // null: there are none, cuMemAlloc is used
  std::mutex mutex;
  std::unordered_map<CUdeviceptr, CUdeviceptr> live; // address -> its base
  std::unordered_map<void *, void *> pinned;         // pointer -> its base
  std::unordered_map<CUdeviceptr, Import> imports;
  std::mutex flushMutex;
  CUdeviceptr flushBuffer = 0;    // made by the first flush
  std::atomic<uint64_t> peers{0}; // those enabled, by ordinal
};

} // namespace nereid::cuda

#endif // NEREID_CUDA_MEMORY_H
