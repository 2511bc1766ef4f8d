// ProgressMode.h - how a long run tells how far it is, and the bar of it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_PROGRESSMODE_H
#define NEREID_TOOL_PROGRESSMODE_H

#include "Output.h"

#include <string>

namespace nereid::tool {

/// A bar that is drawn again, a line for each step, a JSON document in each
/// line, or nothing. All of it is written to stderr.
enum class ProgressMode { Bar, Plain, JsonLines, None };

/// Of `--progress NAME`; "auto" and nothing are a bar on a terminal, and lines
/// elsewhere.
Expected<ProgressMode> parseProgressMode(const std::string &name);

/// Draws "[####------] \p counts, 0:07 left  \p last" over the line before.
/// \p part is what is done, from 0 to 1, and \p left is in seconds.
void drawBar(double part, const std::string &counts, double left,
             const std::string &last);
void eraseBar();

/// Writes \p event as one line.
void writeJsonLine(const Json &event);

} // namespace nereid::tool

#endif // NEREID_TOOL_PROGRESSMODE_H
