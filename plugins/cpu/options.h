// options.h - the options of a kernel's compilation.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_OPTIONS_H
#define NEREID_CPU_OPTIONS_H

#include "host_cpu.h"
#include "nereid/compiler.h"

#include <string>

namespace nereid::cpu {

/// Checked options. The members up to `fastPaths` are set by users; the table
/// in options.cpp documents them.
struct Options {
  std::string arch, cpu, features, fastPaths;
  int64_t optLevel = 0, threads = 0, vectorBits = 0;
  int64_t numWarps = 0, numCtas = 0, numStages = 0;
  bool enableFpFusion = false, reassociate = false;
  bool debugInfo = false;

  // `cpu` and `features` resolved, in LLVM's format.
  std::string targetCpu, tuneCpu, targetFeatures;
};

/// Adds every option to `sink`.
nereid_status_t visitOptions(const nereid_option_sink_t *sink);

/// Checks `values` and resolves the CPU from `target`, or from this machine if
/// the target does not name one.
nereid_status_t parseOptions(const HostCpu &host, const nereid_target_t *target,
                             const nereid_value_t *values, uint64_t count,
                             Options &out, const nereid_call_t *call);

/// Equal for options with equal meaning: "name=value;..." of all options.
std::string canonicalText(const Options &options);

} // namespace nereid::cpu

#endif // NEREID_CPU_OPTIONS_H
