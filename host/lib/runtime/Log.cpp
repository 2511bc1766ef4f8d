// Log.cpp - writes messages to the host program's callback or to stderr.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Log.h"

#include "abi/Call.h"
#include "text/EscapeForTerminal.h"

#include <cerrno>
#include <string>
#include <unistd.h>

namespace nereid::host {

// A note belongs to the message before it, which may be a warning.
static nereid_severity_t rank(nereid_severity_t severity) {
  return severity == NEREID_SEVERITY_NOTE ? NEREID_SEVERITY_WARNING : severity;
}

bool Log::enabled(nereid_severity_t severity) const {
  return rank(severity) <= level;
}

// One write call for the whole line, so that lines of several threads and
// processes do not mix.
static void writeLine(const std::string &line) {
  size_t done = 0;
  while (done < line.size()) {
    ssize_t count =
        ::write(STDERR_FILENO, line.data() + done, line.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return;
    done += static_cast<size_t>(count);
  }
}

void Log::write(std::string_view source,
                const nereid_diagnostic_t &diagnostic) const {
  if (!enabled(diagnostic.severity))
    return;
  if (callback) {
    callback(user, borrow(source), &diagnostic);
    return;
  }
  std::string line(source);
  line += ": ";
  line += severityName(diagnostic.severity);
  line += ": ";
  line += diagnosticText(diagnostic);
  writeLine(escapeForTerminal(line) + '\n');
}

void Log::write(nereid_severity_t severity, std::string_view message) const {
  nereid_diagnostic_t diagnostic = {};
  diagnostic.struct_size = sizeof diagnostic;
  diagnostic.severity = severity;
  diagnostic.message = borrow(message);
  write("nereid", diagnostic);
}

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

} // namespace nereid::host
