// device.cpp - opens a device, and keeps what ended it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "device.h"

#include "memory.h"
#include "staging.h"
#include "streams.h"

namespace nereid::cuda {

Device::Device(const Library &library, const PhysicalDevice &physical,
               CUcontext imported)
    : cuda(library), physical(physical), context(imported),
      isPrimary(!imported) {
  if (isPrimary)
    cuda::check(library,
                library.cuDevicePrimaryCtxRetain(&context, physical.handle),
                "cannot open device '" + physical.name + "'");
  try {
    openParts();
  } catch (...) {
    if (isPrimary)
      library.cuDevicePrimaryCtxRelease(physical.handle);
    throw;
  }
}

void Device::openParts() {
  ContextScope scope(*this);
  try {
    memory = std::make_unique<Memory>(*this);
    staging = std::make_unique<Staging>(*this);
    streams = std::make_unique<Streams>(*this);
  } catch (...) {
    memory.reset(); // while its context is current
    throw;
  }
}

Device::~Device() {
  // Results are of no use to anybody here; at the end of a process the library
  // may have shut down already.
  try {
    ContextScope scope(*this);
    streams.reset();
    staging.reset();
    memory.reset();
  } catch (const std::exception &) {
  }
  if (isPrimary)
    cuda.cuDevicePrimaryCtxRelease(physical.handle);
}

std::string Device::nameOfFailed() const {
  constexpr size_t kMost = 8;
  bool isComplete = false;
  std::vector<std::string> kernels = launches.pending(isComplete);
  if (kernels.empty())
    return "it failed";
  if (kernels.size() == 1 && isComplete)
    return "kernel '" + kernels.front() + "' failed";
  std::string text = "one of the kernels launched last failed, of which the "
                     "latest is first: ";
  for (size_t i = 0; i < kernels.size() && i < kMost; ++i)
    text += (i ? ", '" : "'") + kernels[i] + "'";
  return text + (kernels.size() > kMost || !isComplete ? ", and others" : "");
}

void Device::throwFailure(CUresult result, const std::string &what) {
  if (!isSticky(result))
    throw Failure(statusOf(result), what + " on device '" + physical.name +
                                        "': " + describe(cuda, result));
  {
    std::lock_guard lock(mutex);
    if (!isLost()) {
      loss = nameOfFailed() + ": " + describe(cuda, result);
      lost.store(true, std::memory_order_release);
    }
  }
  throwLost();
}

void Device::throwLost() {
  std::lock_guard lock(mutex);
  throw Failure(NEREID_DEVICE_LOST, "device '" + physical.name +
                                        "' is lost to this process, "
                                        "start a new one: " +
                                        loss);
}

void ContextScope::enter(CUresult result, CUcontext current) {
  device.check(result, "cannot read the current context");
  device.check(device.cuda.cuCtxPushCurrent(device.context),
               "cannot make the context current");
  isPushed = current || device.physical.handle != 0;
}

void ContextScope::leave() noexcept {
  CUcontext popped = nullptr;
  device.cuda.cuCtxPopCurrent(&popped);
}

} // namespace nereid::cuda
