// Glob.h - patterns of plugin ids.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_SUPPORT_GLOB_H
#define NEREID_HOST_SUPPORT_GLOB_H

#include <string>
#include <string_view>

namespace nereid::host {

/// Whether the whole of \p text matches \p pattern, where `*` matches any
/// number of characters and `?` one. Takes time linear in the product of
/// the lengths, whatever the pattern.
bool matchesGlob(std::string_view pattern, std::string_view text);

/// The first of \p patterns, with `;` between them, that \p text matches;
/// empty if none does.
std::string_view firstMatch(std::string_view patterns, std::string_view text);

} // namespace nereid::host

#endif // NEREID_HOST_SUPPORT_GLOB_H
