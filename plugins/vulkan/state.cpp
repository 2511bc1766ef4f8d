// state.cpp - starts Vulkan and opens devices when they are needed.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "state.h"

#include "common/text.h"
#include "compiler_interface.h"
#include "failure.h"
#include "streams.h"
#include "target.h"

using namespace nereid::vulkan;

nereid_state_t::nereid_state_t(const nereid_host_t *host, Settings settings)
    : settings(std::move(settings)),
      compiler(host, "vulkan", sizeof(nereid_vulkan_options_t)), host(host) {}

nereid_state_t::~nereid_state_t() {
  // Threads of one device may wait for work of another one.
  for (auto &slot : slots)
    if (slot->device)
      slot->device->streams->close();
  bool isStuck = false;
  for (auto &slot : slots) {
    isStuck |= slot->device && slot->device->isStuck();
    slot->device.reset();
  }
  if (isStuck)
    made->abandon();
}

const Instance &nereid_state_t::instance() {
  if (const Instance *known = ready.load(std::memory_order_acquire))
    return *known;
  std::lock_guard lock(mutex);
  if (!made) {
    auto created = std::make_unique<Instance>(settings, host);
    for (const PhysicalDevice &device : created->devices) {
      slots.push_back(std::make_unique<Slot>());
      slots.back()->features = featuresOf(device);
    }
    made = std::move(created);
    ready.store(made.get(), std::memory_order_release);
  }
  return *made;
}

const PhysicalDevice &nereid_state_t::physical(uint32_t index) {
  const Instance &found = instance();
  if (index >= found.devices.size())
    throw Failure(NEREID_UNAVAILABLE, "device " + std::to_string(index) +
                                          " does not exist: " + found.reason);
  return found.devices[index];
}

const std::string &nereid_state_t::features(uint32_t index) {
  physical(index);
  return slots[index]->features;
}

Device &nereid_state_t::device(uint32_t index) {
  const PhysicalDevice &described = physical(index);
  Slot &slot = *slots[index];
  if (Device *opened = slot.opened.load(std::memory_order_acquire))
    return *opened;
  std::lock_guard lock(mutex);
  if (!slot.device) {
    slot.device = std::make_unique<Device>(*made, described, settings, host);
    slot.opened.store(slot.device.get(), std::memory_order_release);
  }
  return *slot.device;
}
