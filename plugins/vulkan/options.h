// options.h - the options of a compilation.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_OPTIONS_H
#define NEREID_VULKAN_OPTIONS_H

#include "nereid/compiler.h"

#include <string>

namespace nereid::vulkan {

struct Options {
  int64_t numWarps = 0, numStages = 0, numCtas = 0, numThreads = 0;
  int64_t accessBytes = 0;
  bool enableFpFusion = false, matrices = false;
  std::string without;

  // From the target, not from a value.
  std::string features; ///< but those of `without`
  uint32_t threads = 0; ///< of a workgroup
};

nereid_status_t visitOptions(const nereid_option_sink_t *sink);

nereid_status_t parseOptions(const nereid_target_t *target,
                             const nereid_value_t *values, uint64_t count,
                             Options &out, const nereid_call_t *call);

/// Equal for options that lead to the same image.
std::string canonicalText(const Options &options);

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_OPTIONS_H
