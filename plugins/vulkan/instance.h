// instance.h - the connection to the Vulkan drivers of this machine.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_INSTANCE_H
#define NEREID_VULKAN_INSTANCE_H

#include "physical_device.h"
#include "settings.h"

#include "nereid/plugin.h"

#include <string>
#include <vector>

namespace nereid::vulkan {

/// Never throws when it is created: a machine without Vulkan has no devices,
/// and `reason` says why.
class Instance {
public:
  Instance(const Settings &settings, const nereid_host_t *host);
  ~Instance();
  Instance(const Instance &) = delete;
  Instance &operator=(const Instance &) = delete;

  /// Leaves the drivers as they are when this ends: one of them would not stop.
  void abandon();

  InstanceFunctions functions;
  std::vector<PhysicalDevice> devices; ///< that can be used
  std::string reason;                  ///< of a probe, in one sentence

private:
  void create(const Settings &settings);
  void findDevices(const Settings &settings);

  const nereid_host_t *const host;
  Loader loader;
  VkInstance handle = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
};

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_INSTANCE_H
