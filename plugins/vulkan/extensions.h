// extensions.h - what the plugin offers beyond the required slots.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_EXTENSIONS_H
#define NEREID_VULKAN_EXTENSIONS_H

#include "nereid/plugin.h"

namespace nereid::vulkan {

extern const nereid_benchmark_t kBenchmark; // benchmark.cpp
extern const nereid_events_t kEvents;       // events.cpp
extern const nereid_frontend_t kFrontend;   // frontend.cpp
extern const nereid_libdevice_t kLibdevice;

const void *findExtension(nereid_state_t *state, nereid_string_t id);

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_EXTENSIONS_H
