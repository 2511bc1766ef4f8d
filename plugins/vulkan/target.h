// target.h - the target of a device as text: its architecture and features.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The architecture is the name of a profile; docs/vulkan.md lists profiles and
// features.

#ifndef NEREID_VULKAN_TARGET_H
#define NEREID_VULKAN_TARGET_H

#include "physical_device.h"

#include "nereid/plugin.h"

#include <span>
#include <string_view>

namespace nereid::vulkan {

/// A kind of device that kernels can be compiled for without one.
struct Profile {
  std::string_view name;
  uint32_t warpSize;
  std::string_view features; ///< the least that such devices have
};

std::span<const Profile> profiles();

/// The profile that fits a device by its vendor, name and driver.
std::string_view profileOf(const PhysicalDevice &device);

/// Whether devices may have a feature of this name, which is not a number.
bool isFeature(std::string_view name);

/// The feature of the most similar name; empty if none is similar.
std::string_view nearestFeature(std::string_view name);

/// "16x8x16/f16/f16/f32/f32".
std::string shapeText(const MatrixShape &shape);

/// The features, with commas between: "vendor=0x10de,subgroup=32-32,...".
std::string featuresOf(const PhysicalDevice &device);

/// The features of a target, or those of its profile if it has only a name;
/// empty if it has neither.
std::string featuresFor(const nereid_target_t *target);

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_TARGET_H
