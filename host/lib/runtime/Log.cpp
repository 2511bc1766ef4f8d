// Log.cpp - writes messages to the host program's callback or to stderr.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Log.h"

#include "abi/Call.h"
#include "support/File.h"
#include "text/EscapeForTerminal.h"
#include "text/Severity.h"

#include <string>
#include <unistd.h>

namespace nereid::host {

bool Log::enabled(nereid_severity_t severity) const {
  return isShownAt(level, severity);
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
  // One write call for the whole line, so that lines of several threads and
  // processes do not mix.
  (void)writeAll(STDERR_FILENO, escapeForTerminal(line) + '\n');
}

void Log::write(nereid_severity_t severity, std::string_view message) const {
  nereid_diagnostic_t diagnostic = {};
  diagnostic.struct_size = sizeof diagnostic;
  diagnostic.severity = severity;
  diagnostic.message = borrow(message);
  write("nereid", diagnostic);
}

} // namespace nereid::host
