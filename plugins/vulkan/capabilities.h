// capabilities.h - which capabilities of SPIR-V a device has.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_CAPABILITIES_H
#define NEREID_VULKAN_CAPABILITIES_H

#include "physical_device.h"

#include <span>
#include <string>

namespace nereid::vulkan {

/// The first of `capabilities` that `device` lacks, by its name, or that this
/// plugin does not know, by its number; empty if it has all.
std::string missingCapability(std::span<const uint32_t> capabilities,
                              const PhysicalDevice &device);

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_CAPABILITIES_H
