// failure.h - the error of a slot as an exception, and the results of Vulkan.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_FAILURE_H
#define NEREID_VULKAN_FAILURE_H

#include "common/guard.h"
#include "newer_vulkan.h"

#include <stdexcept>
#include <string>

namespace nereid::vulkan {

using plugin::Failure;

/// "VK_ERROR_DEVICE_LOST"; a number if the result is not known.
std::string resultName(VkResult result);

/// The status that `result` becomes.
nereid_status_t statusOf(VkResult result);

/// Throws unless `result` is a success. `what` was being done: "cannot create a
/// pipeline".
void check(VkResult result, const char *what);

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_FAILURE_H
