// driver.h - the tables of the driver and of its extensions.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CUDA_DRIVER_H
#define NEREID_CUDA_DRIVER_H

#include "nereid/plugin.h"

namespace nereid::cuda {

extern const nereid_driver_t kDriver;
extern const nereid_events_t kEvents;

/// nereid_plugin_t.get_extension
const void *findExtension(nereid_state_t *state, nereid_string_t id);

} // namespace nereid::cuda

#endif // NEREID_CUDA_DRIVER_H
