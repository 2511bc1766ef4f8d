// copies.h - copies and fills on a stream.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CUDA_COPIES_H
#define NEREID_CUDA_COPIES_H

#include "device.h"

#include "nereid/plugin.h"

namespace nereid::cuda {

// All [any-thread]; those that fail throw.
void copy(Device &device, const nereid_copy_t &request);
void copyRows(Device &device, const nereid_copy_2d_t &request);
/// From `source`, another device or the same.
void copyPeer(Device &device, Device &source,
              const nereid_copy_peer_t &request);
void fill(Device &device, const nereid_fill_t &request);

} // namespace nereid::cuda

#endif // NEREID_CUDA_COPIES_H
