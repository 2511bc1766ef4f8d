// Severity.cpp - the words for severities.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "text/Severity.h"

namespace nereid {

std::string_view severityName(nereid_severity_t severity) {
  switch (severity) {
  case NEREID_SEVERITY_ERROR:
    return "error";
  case NEREID_SEVERITY_WARNING:
    return "warning";
  case NEREID_SEVERITY_NOTE:
    return "note";
  case NEREID_SEVERITY_DEBUG:
    return "debug";
  default:
    return "info";
  }
}

std::optional<nereid_severity_t> parseSeverity(std::string_view name) {
  for (nereid_severity_t severity :
       {NEREID_SEVERITY_ERROR, NEREID_SEVERITY_WARNING, NEREID_SEVERITY_INFO,
        NEREID_SEVERITY_DEBUG})
    if (severityName(severity) == name)
      return severity;
  return std::nullopt;
}

bool isShownAt(nereid_severity_t level, nereid_severity_t severity) {
  // A note belongs to the message before it, which may be a warning.
  return (severity == NEREID_SEVERITY_NOTE ? NEREID_SEVERITY_WARNING
                                           : severity) <= level;
}

} // namespace nereid
