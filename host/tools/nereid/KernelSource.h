// KernelSource.h - compiles the kernel that the command line names; shared by
// the verbs compile, run and bench.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_KERNELSOURCE_H
#define NEREID_TOOL_KERNELSOURCE_H

#include "OptionSpec.h"
#include "Target.h"

namespace nereid::tool {

struct CompileOptions {
  std::string kernel;
  std::string target;
  std::string compiler;
  std::vector<std::string> values;
  std::string startAt, stopAfter;
  std::vector<std::string> replacements;
  std::string dumpDir;
  bool refresh = false;
};

/// The kernel's file, --target, --compiler, -O and --refresh.
std::vector<OptionSpec> compileOptions(CompileOptions &options);
/// --start-at and --replace: replacements of a stage's work.
std::vector<OptionSpec> inputOptions(CompileOptions &options);

struct CompiledKernel {
  TargetChoice choice;
  Artifact artifact;
  Json facts; ///< as nereid_artifact_describe() returns them
  int64_t nanoseconds;
};

/// Reads, checks and compiles. Errors in the source have the status
/// workFailed, errors in the options NEREID_INVALID_ARGUMENT.
Expected<CompiledKernel>
compileKernel(Session &session, const CompileOptions &options, bool mustRun);

/// "compiled by cpu for cpu:0 in 12.3 ms" or "... taken from the cache".
std::string compileSummary(const CompiledKernel &kernel);

} // namespace nereid::tool

#endif // NEREID_TOOL_KERNELSOURCE_H
