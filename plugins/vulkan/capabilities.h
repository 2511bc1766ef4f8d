// capabilities.h - whether a device has what a module uses.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_CAPABILITIES_H
#define NEREID_VULKAN_CAPABILITIES_H

#include "image.h"
#include "physical_device.h"

#include <string>

namespace nereid::vulkan {

/// The first feature that `image` uses and `device` lacks, "feature 'f64'", or
/// what this plugin does not know; empty if the device has all.
std::string missingFeature(const Image &image, const PhysicalDevice &device);

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_CAPABILITIES_H
