// TuneRun.h - `nereid tune run`: which calls, with which options, and how far
// it is.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_TUNERUN_H
#define NEREID_TOOL_TUNERUN_H

#include "OperatorCall.h"
#include "Session.h"

#include "nereid/tune.h"

namespace nereid::tool {

struct TuneRunOptions : OperatorCallOptions {
  std::string target, packDirs, shapesFile, tasksFile, budget, limit, jobs,
      search, python, progress, ray;
  bool isRecorded = false, isPlan = false, resumes = false;

  /// The options that were given, by their names.
  std::vector<std::string> given() const;
};

/// The calls to tune as lines of JSON: those of the files, of \p operators with
/// the shapes of the options, or what \p store wrote down. With files,
/// \p operators picks some of them.
Expected<std::string> planTuning(Session &session,
                                 const TuneRunOptions &options,
                                 const std::vector<std::string> &operators,
                                 nereid_tune_store_t *store);

/// Tunes these calls.
Expected<int> runTuning(Session &session, const TuneRunOptions &options,
                        const std::string &tasks, nereid_tune_store_t *store);

/// Tunes these calls on the machines of a Ray cluster. \p store is what the
/// user named; it may be empty.
Expected<int> runTuningWithRay(const Session &session,
                               const TuneRunOptions &options,
                               const std::string &tasks,
                               const std::string &store);

} // namespace nereid::tool

#endif // NEREID_TOOL_TUNERUN_H
