// Files.h - reads whole files, and writes them atomically.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOLS_FILES_H
#define NEREID_TOOLS_FILES_H

#include "Errors.h"

#include <initializer_list>
#include <string_view>

namespace nereid::tools {

/// The bytes of the regular file at \p path.
Expected<std::string> readFile(const std::string &path);

/// All that comes on standard input, which messages call \p name.
Expected<std::string> readInput(const std::string &name);

/// Writes all of \p bytes. 0 or an errno value. Safe in a signal handler.
int writeAll(int file, std::string_view bytes) noexcept;

/// Puts \p pieces, one after the other, at \p path: all of them or, after a
/// failure, nothing. If \p path is not a regular file (/dev/stdout), it is
/// written directly.
Expected<void> writeFile(const std::string &path,
                         std::initializer_list<std::string_view> pieces);

/// Whether a writeFile() of \p path can start: it is not a directory, and
/// its parent can be written.
Expected<void> checkWritable(const std::string &path);

/// Removes what a writeFile() under way has written. Safe in a signal handler.
void removeUnfinishedFile();

} // namespace nereid::tools

#endif // NEREID_TOOLS_FILES_H
