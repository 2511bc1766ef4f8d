// Report.h - tuned results for people: one HTML file.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Figures are inline SVG, each with its numbers as a table. The file refers to
// nothing outside it, needs no script, follows the reader's choice of a light
// or a dark page, and is well-formed XML too. What would make it larger than
// reportLimit is left out, and the report says so.

#ifndef NEREID_OPS_REPORT_REPORT_H
#define NEREID_OPS_REPORT_REPORT_H

#include "store/Record.h"

#include <cstddef>
#include <string>
#include <vector>

namespace nereid::ops {

inline constexpr size_t reportLimit = 300'000; // bytes

struct Report {
  std::string name; ///< of the store
  std::vector<TunedResult> rows;
  std::string beforeName; ///< of a store to compare with; may be empty
  std::vector<TunedResult> before;
};

/// The same results give the same bytes.
std::string reportHtml(const Report &report);

} // namespace nereid::ops

#endif // NEREID_OPS_REPORT_REPORT_H
