// report.h - what went wrong in a worker, as diagnostics.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TRITON_REPORT_H
#define NEREID_TRITON_REPORT_H

#include "nereid/plugin.h"
#include "worker/Worker.h"

#include <string_view>
#include <vector>

namespace nereid::triton {

struct Diagnostic {
  nereid_severity_t severity = NEREID_SEVERITY_ERROR;
  std::string message, file; // an empty file is the input of the stage
  uint32_t line = 0, column = 0;
};

/// The diagnostics that MLIR has printed among other text: "file:1:2: error:
/// ..." and "loc("file":1:2): error: ...". The worker's own name of its input
/// is taken out.
std::vector<Diagnostic> printedDiagnostics(std::string_view output);

/// Reports how \p exchange failed, if it did, and returns the status.
nereid_status_t reportExchange(const worker::Exchange &exchange,
                               const nereid_call_t *call);

} // namespace nereid::triton

#endif // NEREID_TRITON_REPORT_H
