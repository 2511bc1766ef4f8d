// Severity.h - the words for severities, and which messages a level shows.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TEXT_SEVERITY_H
#define NEREID_TEXT_SEVERITY_H

#include "nereid/base.h"

#include <optional>
#include <string_view>

namespace nereid {

/// "error", "warning", "note", "info" or "debug".
std::string_view severityName(nereid_severity_t severity);

/// The inverse, for NEREID_LOG; nothing for another word.
std::optional<nereid_severity_t> parseSeverity(std::string_view name);

/// Whether messages of \p severity are shown at \p level.
bool isShownAt(nereid_severity_t level, nereid_severity_t severity);

} // namespace nereid

#endif // NEREID_TEXT_SEVERITY_H
