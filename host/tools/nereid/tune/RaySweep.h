// RaySweep.h - `nereid tune run --ray`: tuning on the machines of a Ray
// cluster.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_TUNE_RAYSWEEP_H
#define NEREID_TOOL_TUNE_RAYSWEEP_H

#include "Output.h"

#include <string>
#include <vector>

namespace nereid::tool {

struct RaySweep {
  std::string address;            ///< as ray.init() reads it
  std::string store;              ///< empty: the user's own
  std::vector<std::string> words; ///< of `tune run` on each machine
  double budget = 0;              ///< in seconds; 0: none
  bool resumes = false;
};

/// Tunes the calls in \p tasks, a line for each; their results go to the store.
/// Runs a Python with ray, which reports on stderr how far it is.
Expected<int> sweepWithRay(const RaySweep &sweep, const std::string &tasks);

} // namespace nereid::tool

#endif // NEREID_TOOL_TUNE_RAYSWEEP_H
