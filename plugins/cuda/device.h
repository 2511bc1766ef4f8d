// device.h - an open device: its context, and whether it still works.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The context is the device's primary one, which the CUDA runtime uses too:
// what PyTorch allocates can be used here, and the other way round.

#ifndef NEREID_CUDA_DEVICE_H
#define NEREID_CUDA_DEVICE_H

#include "failure.h"
#include "launches.h"
#include "library.h"
#include "physical_device.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

namespace nereid::cuda {

class Memory;
class Staging;
class Streams;

/// All functions [any-thread].
class Device {
public:
  /// Uses `imported`, or the primary context if that is null.
  Device(const Library &library, const PhysicalDevice &physical,
         CUcontext imported);
  /// Waits for the work of its own streams, unless the device is lost.
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const Library &cuda;
  const PhysicalDevice &physical;
  CUcontext context = nullptr;

  Launches launches;
  std::unique_ptr<Memory> memory;
  std::unique_ptr<Staging> staging;
  std::unique_ptr<Streams> streams;

  /// Throws if the device is lost.
  void requireAlive() {
    if (isLost()) [[unlikely]]
      throwLost();
  }
  bool isLost() const { return lost.load(std::memory_order_acquire); }
  /// Throws unless `result` is a success. After a sticky one the device is
  /// lost, for good: CUDA has no way to go on with its context.
  void check(CUresult result, const char *what) {
    if (result != CUDA_SUCCESS) [[unlikely]]
      throwFailure(result, what);
  }
  [[noreturn]] void throwFailure(CUresult result, const std::string &what);

private:
  void openParts();
  [[noreturn]] void throwLost();
  std::string nameOfFailed() const;

  const bool isPrimary;
  std::atomic<bool> lost{false};
  std::mutex mutex;
  std::string loss;
};

/// Makes the device's context current on this thread, and later what was
/// current before. A thread that has none keeps the one of the first device, as
/// with the CUDA runtime, which is spared two calls for each launch.
class ContextScope {
public:
  explicit ContextScope(Device &device) : device(device) {
    CUcontext current = nullptr;
    CUresult result = device.cuda.cuCtxGetCurrent(&current);
    if (result == CUDA_SUCCESS && current == device.context) [[likely]]
      return;
    enter(result, current);
  }
  ~ContextScope() {
    if (isPushed) [[unlikely]]
      leave();
  }
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

private:
  void enter(CUresult result, CUcontext current);
  void leave() noexcept;

  Device &device;
  bool isPushed = false;
};

} // namespace nereid::cuda

#endif // NEREID_CUDA_DEVICE_H
