// Visible.h - text of others, made harmless for a terminal.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_VISIBLE_H
#define NEREID_HOST_VISIBLE_H

#include <string>
#include <string_view>

namespace nereid {

/// \p text with control characters, and bytes that are no UTF-8, as "\x1b";
/// line feeds and tabs stay.
std::string visible(std::string_view text);

} // namespace nereid

#endif // NEREID_HOST_VISIBLE_H
