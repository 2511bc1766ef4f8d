// instance.cpp - creates the instance, with validation if it is asked for, and
// lists the devices.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "instance.h"

#include "failure.h"
#include "selection.h"

#include <algorithm>
#include <cstring>

namespace nereid::vulkan {

static constexpr const char *kValidationLayer = "VK_LAYER_KHRONOS_validation";

/// Messages of the validation layer go to the host's log.
static VKAPI_ATTR VkBool32 VKAPI_CALL
logMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
           VkDebugUtilsMessageTypeFlagsEXT,
           const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
  const auto *host = static_cast<const nereid_host_t *>(user);
  std::string message =
      "Vulkan validation: " + std::string(data->pMessage ? data->pMessage : "");
  nereid_diagnostic_t diagnostic = {};
  diagnostic.struct_size = sizeof diagnostic;
  diagnostic.severity = severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT
                            ? NEREID_SEVERITY_ERROR
                            : NEREID_SEVERITY_WARNING;
  diagnostic.message = plugin::text(message);
  host->log(host, &diagnostic);
  return VK_FALSE;
}

static VkDebugUtilsMessengerCreateInfoEXT
messengerInfo(const nereid_host_t *host) {
  VkDebugUtilsMessengerCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  // Not GENERAL: the loader warns of other drivers' files there.
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                     VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  info.pfnUserCallback = logMessage;
  info.pUserData = const_cast<nereid_host_t *>(host);
  return info;
}

static bool hasLayer(const Loader &loader, const char *name) {
  uint32_t count = 0;
  loader.EnumerateInstanceLayerProperties(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  loader.EnumerateInstanceLayerProperties(&count, layers.data());
  layers.resize(count);
  return std::any_of(layers.begin(), layers.end(),
                     [&](const VkLayerProperties &layer) {
                       return std::strcmp(layer.layerName, name) == 0;
                     });
}

Instance::Instance(const Settings &settings, const nereid_host_t *host)
    : host(host) {
  try {
    create(settings);
    if (reason.empty())
      findDevices(settings);
  } catch (const std::exception &error) {
    reason = error.what();
    devices.clear();
  }
}

void Instance::abandon() {
  // Its messages go to the host, which may end.
  if (messenger)
    functions.DestroyDebugUtilsMessengerEXT(handle, messenger, nullptr);
  messenger = VK_NULL_HANDLE;
  handle = VK_NULL_HANDLE;
}

Instance::~Instance() {
  if (messenger)
    functions.DestroyDebugUtilsMessengerEXT(handle, messenger, nullptr);
  if (handle)
    functions.DestroyInstance(handle, nullptr);
}

void Instance::create(const Settings &settings) {
  reason = loader.open();
  if (!reason.empty())
    return;
  bool validates = settings.validation && host;
  if (validates && !hasLayer(loader, kValidationLayer)) {
    reason = std::string("NEREID_VULKAN_VALIDATION is set, but there is no ") +
             kValidationLayer;
    return;
  }
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "nereid";
  application.apiVersion = VK_API_VERSION_1_3;
  const char *const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  VkDebugUtilsMessengerCreateInfoEXT messages = messengerInfo(host);
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  if (validates) {
    info.pNext = &messages;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &kValidationLayer;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
  }
  VkResult result = loader.CreateInstance(&info, nullptr, &handle);
  if (result != VK_SUCCESS) {
    handle = VK_NULL_HANDLE;
    reason = result == VK_ERROR_INCOMPATIBLE_DRIVER
                 ? "no Vulkan driver on this machine"
                 : "cannot create a Vulkan instance: " + resultName(result);
    return;
  }
  functions.DestroyInstance = reinterpret_cast<PFN_vkDestroyInstance>(
      loader.GetInstanceProcAddr(handle, "vkDestroyInstance"));
  functions.load(loader, handle);
  if (validates)
    check(functions.CreateDebugUtilsMessengerEXT(handle, &messages, nullptr,
                                                 &messenger),
          "cannot receive messages of the validation layer");
}

void Instance::findDevices(const Settings &settings) {
  uint32_t count = 0;
  VkResult result = functions.EnumeratePhysicalDevices(handle, &count, nullptr);
  std::vector<VkPhysicalDevice> handles(count);
  if (result == VK_SUCCESS && count)
    result = functions.EnumeratePhysicalDevices(handle, &count, handles.data());
  handles.resize(result < 0 ? 0 : count);
  std::vector<PhysicalDevice> found;
  std::string refused;
  for (VkPhysicalDevice device : handles) {
    PhysicalDevice description = describeDevice(functions, device);
    if (description.problem.empty())
      found.push_back(std::move(description));
    else
      refused += "; not " + description.name + ": " + description.problem;
  }
  std::string problem;
  devices = selectDevices(std::move(found), settings.devices, problem);
  std::string names;
  for (const PhysicalDevice &device : devices)
    names += (names.empty() ? ": " : ", ") + device.name;
  reason = std::to_string(devices.size()) +
           (devices.size() == 1 ? " Vulkan device" : " Vulkan devices") +
           names + refused;
  if (!problem.empty())
    reason += "; " + problem;
}

} // namespace nereid::vulkan
