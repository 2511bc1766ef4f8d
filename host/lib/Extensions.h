// Extensions.h - the tables that this host offers to plugins.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_EXTENSIONS_H
#define NEREID_HOST_EXTENSIONS_H

#include <string_view>

namespace nereid {

/// The table of host extension \p id, or null. Static data. [any-thread]
const void *hostExtension(std::string_view id);

} // namespace nereid

#endif // NEREID_HOST_EXTENSIONS_H
