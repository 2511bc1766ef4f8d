// state.h - the state of the plugin between calls.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CUDA_STATE_H
#define NEREID_CUDA_STATE_H

#include "device.h"
#include "settings.h"

#include "nereid/plugin.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace nereid::cuda {

/// The driver library and its devices.
struct Machine {
  Library library;
  std::vector<PhysicalDevice> devices; ///< by ordinal; none: `reason` says why
  std::string reason;

  explicit Machine(const Settings &settings);
};

} // namespace nereid::cuda

struct nereid_state_t {
  explicit nereid_state_t(nereid::cuda::Settings settings);

  const nereid::cuda::Settings settings;

  /// Made by the first call; a program that only loads the plugin does not
  /// start the driver. [any-thread]
  const nereid::cuda::Machine &machine();
  const nereid::cuda::PhysicalDevice &physical(uint32_t index);
  /// Opens the device if this is its first use; throws if that fails, or if
  /// there is none with this number. [any-thread]
  nereid::cuda::Device &device(uint32_t index);
  /// Makes the device use `context`; throws if it is open. [any-thread]
  void importContext(uint32_t index, nereid::cuda::CUcontext context);

private:
  struct Slot {
    std::atomic<nereid::cuda::Device *> opened{nullptr};
    nereid::cuda::CUcontext imported = nullptr;
    std::unique_ptr<nereid::cuda::Device> device;
  };

  std::mutex mutex; // held while the machine is made or a device is opened
  std::atomic<const nereid::cuda::Machine *> ready{nullptr};
  std::unique_ptr<nereid::cuda::Machine> made;
  std::vector<std::unique_ptr<Slot>> slots;
};

#endif // NEREID_CUDA_STATE_H
