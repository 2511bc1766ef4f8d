// Errors.h - how the tool's own functions fail: as the calls of host.hpp do.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOLS_ERRORS_H
#define NEREID_TOOLS_ERRORS_H

#include "nereid/host.hpp"

#include <string>

namespace nereid::tools {

/// An error whose text is one line, as libnereid writes them.
inline Error failure(nereid_status_t status, const std::string &text) {
  return {status, "error: " + text};
}

/// What the user gave is wrong.
inline Error invalid(const std::string &text) {
  return failure(NEREID_INVALID_ARGUMENT, text);
}

/// "path: why", with the reason that the system gives for \p code.
Error systemError(const std::string &path, int code);

} // namespace nereid::tools

#endif // NEREID_TOOLS_ERRORS_H
