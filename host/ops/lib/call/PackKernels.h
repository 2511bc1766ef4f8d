// PackKernels.h - the kernels that the archive of a pack has: those of given
// calls and of the pack's tuned results.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_CALL_PACK_KERNELS_H
#define NEREID_OPS_CALL_PACK_KERNELS_H

#include "kernels/KernelMaker.h"
#include "pack/Packs.h"
#include "select/Select.h"

namespace nereid::ops {

/// A call of an operator.
struct NamedCall {
  std::string op, where; // where it was written, for messages
  CallFacts facts;
  std::optional<Wanted> wanted;
  /// As tuned results have it, of the variant that is wanted; may be empty.
  std::string configuration;
};

/// The calls in \p text, a list in YAML or JSON: [{"operator": "softmax",
/// "inputs": {...}}]. \p name is the name of the file in errors.
Result<std::vector<NamedCall>> readCalls(std::string_view text,
                                         const std::string &name);

struct PackKernel {
  std::string name, where, ttir;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> options;
};

struct PackKernels {
  std::vector<PackKernel> kernels;
  struct Problem {
    std::string name, text;
  };
  std::vector<Problem> failures;
};

/// The kernels of the pack in \p directory that \p calls, and the calls that
/// its tuned results were measured with, launch on \p target.
PackKernels kernelsOf(const Packs &packs, const std::string &directory,
                      const TargetFacts &target,
                      const std::vector<NamedCall> &calls, KernelMaker &maker);

} // namespace nereid::ops

#endif // NEREID_OPS_CALL_PACK_KERNELS_H
