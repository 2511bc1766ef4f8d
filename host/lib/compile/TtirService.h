// TtirService.h - the tables that this host offers to plugins.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_COMPILE_TTIR_SERVICE_H
#define NEREID_HOST_COMPILE_TTIR_SERVICE_H

#include <string_view>

namespace nereid::host {

/// The table of host extension \p id, or null. Static data. [any-thread]
const void *hostExtension(std::string_view id);

} // namespace nereid::host

#endif // NEREID_HOST_COMPILE_TTIR_SERVICE_H
