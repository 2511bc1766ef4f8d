// Plan.h - what `nereid build` compiles: kernels with their variants, from TTIR
// files or from a list that a program made.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_BUILD_PLAN_H
#define NEREID_TOOL_BUILD_PLAN_H

#include "Output.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nereid::tool {

using NamePairs = std::vector<std::pair<std::string, std::string>>;

struct PlannedVariant {
  std::vector<nereid_archive_condition_t> conditions;
  std::vector<uint32_t> parameters;
  std::string ttir;
  std::string source; ///< what messages call the TTIR
};

struct PlannedKernel {
  std::string name, group;
  NamePairs arguments; ///< name, type
  NamePairs constants; ///< name, JSON
  NamePairs options;   ///< of the compiler, where it has them
  uint32_t grid[3] = {};
  std::vector<PlannedVariant> variants;
  std::set<size_t> targets; ///< places of those it is for; empty: all
};

/// A kernel that could not be planned.
struct PlanFailure {
  std::string name;
  std::string text; ///< lines as nereid_error() has them
};

struct BuildPlan {
  std::vector<PlannedKernel> kernels;
  std::vector<PlanFailure> failures;
  NamePairs files;                       ///< for the archive: name, bytes
  std::vector<std::string> dependencies; ///< files that were read

  /// The names of all kernels, those that failed too.
  std::vector<std::string> names() const;
};

/// Adds the kernel of a TTIR file, named like the file. Divisible arguments
/// make a variant with conditions, beside the one without.
Expected<void> addTtirFile(BuildPlan &plan, const Runtime &runtime,
                           const std::string &path);

/// Adds the kernels of a list: docs/archive.md, "Lists of kernels". Files in it
/// are relative to its folder.
Expected<void> addKernelList(BuildPlan &plan, const std::string &path);

/// The arguments of the one kernel of \p ttir, which \p name names in errors.
Expected<NamePairs> ttirArguments(const Runtime &runtime,
                                  const std::string &ttir,
                                  const std::string &name);

/// \p ttir, text, without what its arguments promise about their values.
std::string withoutHints(const std::string &ttir);

} // namespace nereid::tool

#endif // NEREID_TOOL_BUILD_PLAN_H
