// state.h - the state of the plugin between calls.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_STATE_H
#define NEREID_VULKAN_STATE_H

#include "common/compiler_part.h"
#include "device.h"
#include "instance.h"

#include "nereid/plugin.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

struct nereid_state_t {
  nereid_state_t(const nereid_host_t *host, nereid::vulkan::Settings settings);
  ~nereid_state_t();

  const nereid::vulkan::Settings settings;
  nereid::plugin::CompilerPart compiler;

  /// Made by the first call; a program that only loads the plugin does not
  /// start a driver. [any-thread]
  const nereid::vulkan::Instance &instance();
  /// Opens the device if this is its first use; throws if that fails, or if
  /// there is none with this number. [any-thread]
  nereid::vulkan::Device &device(uint32_t index);
  const nereid::vulkan::PhysicalDevice &physical(uint32_t index);
  /// The features of the target; valid as long as the state.
  const std::string &features(uint32_t index);

private:
  struct Slot {
    std::atomic<nereid::vulkan::Device *> opened{nullptr};
    std::unique_ptr<nereid::vulkan::Device> device;
    std::string features;
  };

  const nereid_host_t *const host;
  std::mutex mutex; // held while the instance is made or a device is opened
  std::unique_ptr<nereid::vulkan::Instance> made;
  std::atomic<const nereid::vulkan::Instance *> ready{nullptr};
  std::vector<std::unique_ptr<Slot>> slots; // of the instance's devices
};

#endif // NEREID_VULKAN_STATE_H
