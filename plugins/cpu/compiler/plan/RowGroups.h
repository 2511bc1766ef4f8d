// RowGroups.h - programs that take their rows a few at a time.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_ROWGROUPS_H
#define NEREID_CPU_COMPILER_PLAN_ROWGROUPS_H

#include "Generate.h"
#include "nereid/ttir/Dialect.h"

#include <vector>

namespace nereid::cpu {

/// A kernel whose programs take their rows a few at a time.
struct GroupedKernel {
  tt::FuncOp kernel;
  /// It does the same as the original in launches in which the last step of
  /// this formula is not negative.
  std::vector<nereid_work_step_t> condition;
};

/// A copy of `kernel`, in the same module, if its programs read, in a loop,
/// pieces of more rows than the hardware prefetches for, and the rows do not
/// depend on one another; else a null kernel.
GroupedKernel copyWithRowGroups(tt::FuncOp kernel,
                                const GenerateOptions &options,
                                const KernelInfo &info);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_ROWGROUPS_H
