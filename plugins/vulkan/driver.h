// driver.h - the table of the driver.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_DRIVER_H
#define NEREID_VULKAN_DRIVER_H

#include "nereid/plugin.h"

namespace nereid::vulkan {

extern const nereid_driver_t kDriver;

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_DRIVER_H
