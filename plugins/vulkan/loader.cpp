// loader.cpp - looks up the functions of Vulkan.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "loader.h"

#include "failure.h"

#include <dlfcn.h>

namespace nereid::vulkan {

static Failure missing(const char *name) {
  return Failure(NEREID_UNAVAILABLE,
                 std::string("the Vulkan driver has no vk") + name);
}

std::string Loader::open() {
  void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return std::string("no Vulkan loader: ") +
           (reason ? reason : "libvulkan.so.1 cannot be opened");
  }
  GetInstanceProcAddr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(
      dlsym(library, "vkGetInstanceProcAddr"));
  if (!GetInstanceProcAddr)
    return "libvulkan.so.1 has no vkGetInstanceProcAddr";
#define LOOK_UP(name)                                                          \
  name = reinterpret_cast<PFN_vk##name>(                                       \
      GetInstanceProcAddr(nullptr, "vk" #name));                               \
  if (!name)                                                                   \
    return "libvulkan.so.1 has no vk" #name ", a loader of Vulkan 1.1 or "     \
           "later was expected";
  NEREID_VULKAN_GLOBAL_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
  return {};
}

void InstanceFunctions::load(const Loader &loader, VkInstance instance) {
#define LOOK_UP(name)                                                          \
  name = reinterpret_cast<PFN_vk##name>(                                       \
      loader.GetInstanceProcAddr(instance, "vk" #name));
#define REQUIRE(name)                                                          \
  if (!name)                                                                   \
    throw missing(#name);
  NEREID_VULKAN_INSTANCE_FUNCTIONS(LOOK_UP)
  NEREID_VULKAN_INSTANCE_FUNCTIONS(REQUIRE)
  NEREID_VULKAN_INSTANCE_EXTENSION_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
}

void DeviceFunctions::load(const InstanceFunctions &instance, VkDevice device) {
#define LOOK_UP(name)                                                          \
  name = reinterpret_cast<PFN_vk##name>(                                       \
      instance.GetDeviceProcAddr(device, "vk" #name));
  NEREID_VULKAN_DEVICE_FUNCTIONS(LOOK_UP)
  NEREID_VULKAN_DEVICE_FUNCTIONS(REQUIRE)
  NEREID_VULKAN_DEVICE_EXTENSION_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
#undef REQUIRE
}

} // namespace nereid::vulkan
