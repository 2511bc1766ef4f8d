// Statistics.h - summary of a list of times.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOLS_STATISTICS_H
#define NEREID_TOOLS_STATISTICS_H

#include <cstdint>
#include <vector>

namespace nereid::tools {

struct Statistics {
  uint64_t count = 0;
  double minimum = 0, p20 = 0, median = 0, p80 = 0, mean = 0;

  /// All zero for an empty list.
  static Statistics of(std::vector<double> samples);
};

} // namespace nereid::tools

#endif // NEREID_TOOLS_STATISTICS_H
