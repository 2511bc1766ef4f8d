// LastFailure.h - what libnereid reported last in this thread, to report again.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_CALL_LAST_FAILURE_H
#define NEREID_OPS_CALL_LAST_FAILURE_H

#include "support/Guard.h"

namespace nereid::ops {

/// Without the "error: " of each line, which is added when it is reported.
inline Failure lastFailure(nereid_status_t status,
                           const std::string &where = {}) {
  constexpr std::string_view mark = "error: ";
  std::string_view rest = view(nereid_error());
  Failure failure{status, where.empty() ? "" : where + ": "};
  while (!rest.empty()) {
    size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.starts_with(mark))
      line.remove_prefix(mark.size());
    failure.text += line;
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!rest.empty())
      failure.text += '\n';
  }
  return failure;
}

} // namespace nereid::ops

#endif // NEREID_OPS_CALL_LAST_FAILURE_H
