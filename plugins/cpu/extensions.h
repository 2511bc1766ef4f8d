// extensions.h - the extensions that the plugin offers.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_EXTENSIONS_H
#define NEREID_CPU_EXTENSIONS_H

#include "nereid/plugin.h"

namespace nereid::cpu {

/// The plugin's table for extension `id`, or null.
const void *findExtension(nereid_state_t *state, nereid_string_t id);

} // namespace nereid::cpu

#endif // NEREID_CPU_EXTENSIONS_H
