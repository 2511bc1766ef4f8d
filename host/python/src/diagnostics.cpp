// diagnostics.cpp - calls of plugins and services that the module makes itself.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "diagnostics.h"

namespace nereid::python {

Diagnostics::Diagnostics() {
  call.struct_size = sizeof call;
  call.user = this;
  call.report = report;
}

void Diagnostics::add(const std::string &line) {
  if (!reported.empty())
    reported += '\n';
  reported += line;
}

/// "file:line:column: message", as far as it is known.
static std::string textOf(const nereid_diagnostic_t &diagnostic) {
  std::string line(view(diagnostic.file));
  if (!line.empty() && diagnostic.line) {
    line += ':' + std::to_string(diagnostic.line);
    if (diagnostic.column)
      line += ':' + std::to_string(diagnostic.column);
  }
  if (!line.empty())
    line += ": ";
  return line.append(view(diagnostic.message));
}

void Diagnostics::report(const nereid_call_t *call,
                         const nereid_diagnostic_t *diagnostic) {
  if (diagnostic->severity != NEREID_SEVERITY_ERROR)
    return;
  try {
    static_cast<Diagnostics *>(call->user)->add(textOf(*diagnostic));
  } catch (const std::bad_alloc &) {
    // The status still says that the call failed.
  }
}

PyObject *Diagnostics::raise(nereid_status_t status,
                             std::string_view otherwise) const {
  return python::raise(status, reported.empty() ? otherwise
                                                : std::string_view(reported));
}

} // namespace nereid::python
