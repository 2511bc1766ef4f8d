// Pipeline.h - the stages of a compiler: reads and checks the list, and runs a
// part of it, bytes in and bytes out.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_COMPILE_PIPELINE_H
#define NEREID_HOST_COMPILE_PIPELINE_H

#include "compile/Options.h"
#include "support/Cancellation.h"

#include <string>
#include <string_view>
#include <vector>

namespace nereid::host {

class Trace;

struct Stage {
  std::string name, inputKind, outputKind, extension;
  bool keepsOutput = false;
  bool makesImage = false;
};

/// The stages of \p plugin for \p options, checked: at least one, names that
/// are unique, and each accepting the kind that the one before it makes.
Result<std::vector<Stage>> readStages(const Plugin &plugin,
                                      const ParsedOptions &options,
                                      const Log *log,
                                      const Cancellation &cancellation = {});

/// The stages as nereid_backend_stages() returns them.
Json stagesJson(const std::vector<Stage> &stages);

/// The index of stage \p name; a failure suggests similar names.
Result<size_t> findStage(const std::vector<Stage> &stages,
                         std::string_view name);

/// How to run a pipeline. Everything is borrowed.
struct PipelinePlan {
  size_t first = 0, last = 0; // indices of stages, both included
  std::string_view source;
  std::string_view sourceName; // for messages
  /// Bytes that replace a stage's output, by index of the stage.
  std::vector<std::pair<size_t, std::string_view>> replacements;
  std::string dumpDir; // empty: no dump
  bool keepOutputs = false;
  Cancellation cancellation; // looked at between stages, and by them
};

/// What a compilation of \p source ends with that its caller cancelled.
Failure cancelled(std::string_view source);

/// The output of a stage.
struct StageOutput {
  std::string stage, bytes;
};

struct StageTime {
  std::string stage;
  int64_t nanoseconds;
};

struct PipelineResult {
  std::string output;            // of the last stage
  std::vector<StageOutput> kept; // of those before it, if the plan asks
  Values metadata;
  std::vector<StageTime> times;
};

/// Begins and ends a compilation: some options are refused by the former alone.
Outcome checkSession(const Plugin &plugin, const ParsedOptions &options,
                     const Log *log);

/// Runs the stages of \p plan. A replaced stage is not run.
Result<PipelineResult> runPipeline(const Plugin &plugin,
                                   const ParsedOptions &options,
                                   const std::vector<Stage> &stages,
                                   const PipelinePlan &plan, const Log *log,
                                   Trace *trace);

} // namespace nereid::host

#endif // NEREID_HOST_COMPILE_PIPELINE_H
