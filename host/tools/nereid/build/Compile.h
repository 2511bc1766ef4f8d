// Compile.h - compiles a plan for its targets, several kernels at a time.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_BUILD_COMPILE_H
#define NEREID_TOOL_BUILD_COMPILE_H

#include "Interrupt.h"
#include "Target.h"
#include "build/BuildProgress.h"
#include "build/Plan.h"

#include <set>

namespace nereid::tool {

/// One of --targets: who compiles for it, and what the archive calls it.
struct BuildTarget {
  std::string name; ///< as given
  TargetChoice choice;
  nereid_target_t target;
  std::set<std::string> options; ///< that the compiler has
};

Expected<std::vector<BuildTarget>>
resolveTargets(Runtime &runtime, const std::vector<std::string> &names);

/// The items of --targets. A comma also separates features: what starts with a
/// sign belongs to the target before it.
std::vector<std::string> splitTargets(const std::string &list);

/// One image to make, or why there is none.
struct BuildJob {
  size_t kernel, variant, target;
  std::optional<Artifact> artifact;
  std::string error; ///< lines as nereid_error() has them
  int64_t nanoseconds = 0;
  bool isDone = false;
};

struct CompileSettings {
  const std::vector<std::string> *values; ///< -O
  unsigned threads;
  bool isFresh; ///< neither reads nor writes the cache
};

/// Compiles every variant of every kernel for every target. Those not begun
/// when \p interrupt is set stay undone.
Expected<std::vector<BuildJob>>
compilePlan(const BuildPlan &plan, const std::vector<BuildTarget> &targets,
            const CompileSettings &settings, BuildProgress &progress,
            const InterruptFlag &interrupt);

/// What the compiler for \p target gets for \p kernel: its own options that the
/// compiler has, then those of the command line.
std::vector<nereid_value_t> optionsFor(const PlannedKernel &kernel,
                                       const std::set<std::string> *known,
                                       const std::vector<nereid_value_t> &more);

} // namespace nereid::tool

#endif // NEREID_TOOL_BUILD_COMPILE_H
