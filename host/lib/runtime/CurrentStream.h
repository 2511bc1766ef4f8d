// CurrentStream.h - the device and the streams that each thread has chosen.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_RUNTIME_CURRENT_STREAM_H
#define NEREID_HOST_RUNTIME_CURRENT_STREAM_H

#include "plugin/Plugin.h"

namespace nereid::host {

/// The calling thread's device of \p plugin, at first 0. [any-thread]
uint32_t currentDevice(const Plugin &plugin) noexcept;
void setCurrentDevice(const Plugin &plugin, uint32_t device);

/// The calling thread's stream on \p device, at first 0. [any-thread]
nereid_stream_t currentStream(const Plugin &plugin, uint32_t device) noexcept;
void setCurrentStream(const Plugin &plugin, uint32_t device,
                      nereid_stream_t stream);

} // namespace nereid::host

#endif // NEREID_HOST_RUNTIME_CURRENT_STREAM_H
