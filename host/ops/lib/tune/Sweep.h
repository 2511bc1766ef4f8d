// Sweep.h - tunes calls: builds candidates, times them, and records each result
// at once.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Candidates run in a process of their own (nereid-tune-worker), one at a time;
// others build what comes next. One that crashes, hangs or computes something
// else than the default costs one row, and a new process.

#ifndef NEREID_OPS_TUNE_SWEEP_H
#define NEREID_OPS_TUNE_SWEEP_H

#include "store/Store.h"
#include "support/JsonFwd.h"

#include <functional>
#include <memory>

namespace nereid::ops {

struct SweepTask {
  std::string op;
  std::string call; ///< JSON, as of nereid_ops_explain()
};

struct SweepOptions {
  std::string worker; ///< the program; empty: that beside the library
  std::string setup;  ///< JSON: plugins, packs and the target of the workers
  double budget = 0;  ///< seconds; 0: as many as it takes
  double limit = 10;  ///< seconds that one candidate may take, at least
  unsigned jobs = 0;  ///< workers that build; 0: as many as processors
  bool isExpanded = false;
  bool resumes = false; ///< skips what the store has of this origin and source
  /// What happens, as docs/tuning.md describes it; false ends the sweep.
  std::function<bool(const host::Json &)> event;
  std::function<bool()> isCancelled;
};

/// What was done, as docs/tuning.md describes it. Fails if the workers cannot
/// run at all, or a result cannot be recorded.
Result<std::unique_ptr<host::Json>> sweep(Store &store,
                                          const std::vector<SweepTask> &tasks,
                                          const SweepOptions &options);

/// The calls in \p text: a list in YAML or JSON, or a JSON object in each line.
/// Each has "operator", "inputs", and what else a call has. \p name is the
/// file's, for messages.
Result<std::vector<SweepTask>> readTasks(std::string_view text,
                                         std::string_view name);
/// A line of such a file.
std::string taskLine(const SweepTask &task);

/// The calls that were written down (status `wanted`) on \p target, "cpu", and
/// have no result of their origin since.
std::vector<SweepTask> wantedTasks(const std::vector<TunedResult> &rows);

} // namespace nereid::ops

#endif // NEREID_OPS_TUNE_SWEEP_H
