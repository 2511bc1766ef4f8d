// requests.h - checks of what the host asks a driver for; what is wrong is
// thrown.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PLUGINS_COMMON_REQUESTS_H
#define NEREID_PLUGINS_COMMON_REQUESTS_H

#include "nereid/ext/interop.h"
#include "nereid/plugin.h"

namespace nereid::plugin {

/// The alignment of an allocation, a power of two; `byDefault` if it is 0.
uint64_t alignmentOf(const nereid_allocation_t &allocation, uint64_t byDefault);

/// For drivers that import host memory and nothing else.
void requireHostPointer(const nereid_import_t &object);

} // namespace nereid::plugin

#endif // NEREID_PLUGINS_COMMON_REQUESTS_H
