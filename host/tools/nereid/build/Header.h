// Header.h - the C and C++ header of an archive.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_BUILD_HEADER_H
#define NEREID_TOOL_BUILD_HEADER_H

#include "Output.h"

#include "nereid/host/archive.hpp"

namespace nereid::tool {

/// \p name as a part of C identifiers: "my-kernels.v2" is "my_kernels_v2".
std::string identifierOf(std::string_view name);

/// The contract of \p archive, metadata and one typed launch function for each
/// kernel. Its identifiers start with \p prefix. The same text for the same
/// archive.
Expected<std::string> headerText(const Archive &archive,
                                 const std::string &prefix);

} // namespace nereid::tool

#endif // NEREID_TOOL_BUILD_HEADER_H
