// selection.h - which devices a program sees, and in which order:
// NEREID_VULKAN_DEVICES.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_SELECTION_H
#define NEREID_VULKAN_SELECTION_H

#include "physical_device.h"

#include <string_view>
#include <vector>

namespace nereid::vulkan {

/// The devices that `list` names, in its order. An element, between commas, is
/// the index in the driver's order, a UUID, a type ("discrete", "cpu", ...) or
/// a part of the name, without regard to case; one may name several devices. An
/// empty list means all: discrete GPUs first, processors last. Sets `problem`
/// if an element names none.
std::vector<PhysicalDevice> selectDevices(std::vector<PhysicalDevice> devices,
                                          std::string_view list,
                                          std::string &problem);

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_SELECTION_H
