// failure.cpp - names of Vulkan's results.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "failure.h"

namespace nereid::vulkan {

std::string resultName(VkResult result) {
  switch (result) {
#define NAME(code)                                                             \
  case code:                                                                   \
    return #code
    NAME(VK_ERROR_OUT_OF_HOST_MEMORY);
    NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY);
    NAME(VK_ERROR_INITIALIZATION_FAILED);
    NAME(VK_ERROR_DEVICE_LOST);
    NAME(VK_ERROR_LAYER_NOT_PRESENT);
    NAME(VK_ERROR_EXTENSION_NOT_PRESENT);
    NAME(VK_ERROR_FEATURE_NOT_PRESENT);
    NAME(VK_ERROR_INCOMPATIBLE_DRIVER);
    NAME(VK_ERROR_TOO_MANY_OBJECTS);
    NAME(VK_ERROR_UNKNOWN);
    NAME(VK_ERROR_INVALID_EXTERNAL_HANDLE);
    NAME(VK_ERROR_INVALID_SHADER_NV);
#undef NAME
  default:
    return "VkResult " + std::to_string(static_cast<int>(result));
  }
}

nereid_status_t statusOf(VkResult result) {
  switch (result) {
  case VK_ERROR_OUT_OF_HOST_MEMORY:
  case VK_ERROR_OUT_OF_DEVICE_MEMORY:
  case VK_ERROR_TOO_MANY_OBJECTS:
    return NEREID_OUT_OF_RESOURCES;
  case VK_ERROR_DEVICE_LOST:
    return NEREID_DEVICE_LOST;
  case VK_ERROR_EXTENSION_NOT_PRESENT:
  case VK_ERROR_FEATURE_NOT_PRESENT:
  case VK_ERROR_INCOMPATIBLE_DRIVER:
  case VK_ERROR_INITIALIZATION_FAILED:
    return NEREID_UNAVAILABLE;
  default:
    return NEREID_INTERNAL;
  }
}

void check(VkResult result, const char *what) {
  if (result < 0)
    throw Failure(statusOf(result),
                  std::string(what) + ": " + resultName(result));
}

} // namespace nereid::vulkan
