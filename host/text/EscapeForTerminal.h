// EscapeForTerminal.h - escapes control characters of untrusted text.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TEXT_ESCAPE_FOR_TERMINAL_H
#define NEREID_TEXT_ESCAPE_FOR_TERMINAL_H

#include <string>
#include <string_view>

namespace nereid {

/// \p text with control characters, and invalid UTF-8, as "\x1b";
/// line feeds and tabs stay.
std::string escapeForTerminal(std::string_view text);

} // namespace nereid

#endif // NEREID_TEXT_ESCAPE_FOR_TERMINAL_H
