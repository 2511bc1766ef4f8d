// copies.h - copies and fills on a stream.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_COPIES_H
#define NEREID_VULKAN_COPIES_H

#include "stream.h"

namespace nereid::vulkan {

/// Throws if an address is not in an allocation of the device.
void copyRows(Stream &stream, const nereid_copy_2d_t &copy);
void fill(Stream &stream, const nereid_fill_t &fill);

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_COPIES_H
