// state.cpp - starts the driver and opens devices when they are needed.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "state.h"

using namespace nereid::cuda;

namespace nereid::cuda {

static std::string deviceList(const Machine &machine) {
  size_t count = machine.devices.size();
  std::string text =
      std::to_string(count) + (count == 1 ? " device: " : " devices: ");
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + machine.devices[i].name + " (" +
            machine.devices[i].arch + ")";
  return text + "; the driver is for CUDA " +
         versionText(machine.library.version);
}

Machine::Machine(const Settings &settings) {
  reason = library.open(settings.library);
  if (!reason.empty())
    return;
  int count = 0;
  CUresult result = library.cuDeviceGetCount(&count);
  // A library that found no device when it started is not initialized.
  if (result == CUDA_ERROR_NO_DEVICE || result == CUDA_ERROR_NOT_INITIALIZED ||
      (result == CUDA_SUCCESS && !count)) {
    reason = "the NVIDIA driver finds no device; CUDA_VISIBLE_DEVICES may hide "
             "it";
    return;
  }
  try {
    check(library, result, "cannot count the devices");
    for (int i = 0; i < count; ++i)
      devices.push_back(PhysicalDevice::read(library, i));
    reason = deviceList(*this);
  } catch (const Failure &failure) {
    devices.clear();
    reason = failure.what();
  }
}

} // namespace nereid::cuda

nereid_state_t::nereid_state_t(Settings settings)
    : settings(std::move(settings)) {}

const Machine &nereid_state_t::machine() {
  if (const Machine *known = ready.load(std::memory_order_acquire))
    return *known;
  std::lock_guard lock(mutex);
  if (!made) {
    auto created = std::make_unique<Machine>(settings);
    for (size_t i = 0; i < created->devices.size(); ++i)
      slots.push_back(std::make_unique<Slot>());
    made = std::move(created);
    ready.store(made.get(), std::memory_order_release);
  }
  return *made;
}

const PhysicalDevice &nereid_state_t::physical(uint32_t index) {
  const Machine &found = machine();
  if (index >= found.devices.size())
    throw Failure(NEREID_UNAVAILABLE, "device " + std::to_string(index) +
                                          " does not exist: " + found.reason);
  return found.devices[index];
}

Device &nereid_state_t::device(uint32_t index) {
  const PhysicalDevice &described = physical(index);
  Slot &slot = *slots[index];
  if (Device *opened = slot.opened.load(std::memory_order_acquire)) [[likely]]
    return *opened;
  std::lock_guard lock(mutex);
  if (!slot.device) {
    slot.device =
        std::make_unique<Device>(made->library, described, slot.imported);
    slot.opened.store(slot.device.get(), std::memory_order_release);
  }
  return *slot.device;
}

void nereid_state_t::importContext(uint32_t index, CUcontext context) {
  const PhysicalDevice &described = physical(index);
  const Library &library = made->library;
  check(library, library.cuCtxPushCurrent(context), "cannot import a context");
  CUdevice of = -1;
  CUresult result = library.cuCtxGetDevice(&of);
  CUcontext popped = nullptr;
  check(library, library.cuCtxPopCurrent(&popped), "cannot import a context");
  check(library, result, "cannot import a context");
  if (of != described.handle)
    throw Failure(NEREID_INVALID_ARGUMENT,
                  "the context is of device " + std::to_string(of) +
                      ", one of device " + std::to_string(described.handle) +
                      " was expected");
  std::lock_guard lock(mutex);
  if (slots[index]->device)
    throw Failure(NEREID_UNAVAILABLE,
                  "device '" + described.name +
                      "' is in use with another context: import a context "
                      "before the first use");
  slots[index]->imported = context;
}
