// device.h - an open device: its functions, queues and buffers, and whether it
// still works.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_DEVICE_H
#define NEREID_VULKAN_DEVICE_H

#include "instance.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace nereid::vulkan {

class Memory;
class PipelineCache;
class StagingPool;
class Streams;
class Timestamps;

/// A queue of the device. Several streams may share one.
struct Queue {
  VkQueue handle = VK_NULL_HANDLE;
  std::mutex mutex; ///< held while work is submitted
};

/// A buffer that fills its memory.
struct Buffer {
  VkBuffer handle = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  uint64_t address = 0; ///< of the device
  uint64_t size = 0;
  void *mapped = nullptr; ///< host memory is always mapped
};

/// All functions [any-thread].
class Device {
public:
  Device(const Instance &instance, const PhysicalDevice &physical,
         const Settings &settings, const nereid_host_t *host);
  /// Waits for all work, unless the device is lost.
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const PhysicalDevice &physical;
  const Settings &settings;
  DeviceFunctions vk;
  VkDevice handle = VK_NULL_HANDLE;
  std::vector<std::unique_ptr<Queue>> queues;

  std::unique_ptr<Memory> memory;
  std::unique_ptr<StagingPool> staging;
  std::unique_ptr<Timestamps> timestamps;
  std::unique_ptr<PipelineCache> pipelines;
  std::unique_ptr<Streams> streams;

  /// Throws if the device is lost.
  void requireAlive() const {
    if (lost.load(std::memory_order_acquire)) [[unlikely]]
      throwLost();
  }
  bool isLost() const { return lost.load(std::memory_order_acquire); }
  /// Whether it is lost because its work does not end: nothing of its driver
  /// may be destroyed, which would wait for that work.
  bool isStuck() const { return isLost() && isRunning; }
  /// Throws unless `result` is a success, and marks the device if it is lost.
  void check(VkResult result, const char *what);

  /// Waits until `semaphore` has reached `value`; throws if the device is lost
  /// or does not get there within the time limit.
  void waitFor(VkSemaphore semaphore, uint64_t value);

  /// Writes a warning to the host's log.
  void warn(const std::string &message) const;

  /// Creates a buffer of a memory type; of the host's memory at `import` if
  /// that is not null. On failure nothing is created.
  VkResult createBuffer(uint64_t size, uint32_t memoryType, bool isMapped,
                        Buffer &out, void *import = nullptr);
  void destroyBuffer(Buffer &buffer);

  /// Memory that is filled to evict the caches; it stays allocated.
  uint64_t evictionBuffer();

private:
  void destroyAll();
  [[noreturn]] void throwLost() const;
  void lose(std::string why, bool isRunning);
  VkResult bindMemory(uint32_t memoryType, bool isMapped, Buffer &out,
                      void *import);

  const nereid_host_t *const host;
  std::atomic<bool> lost{false};
  std::mutex lossMutex;
  std::string loss;
  bool isRunning = false; // lost, but it may still execute
  std::mutex evictionMutex;
  uint64_t eviction = 0; // an address; 0 before the first use
};

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_DEVICE_H
