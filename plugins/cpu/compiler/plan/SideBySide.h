// SideBySide.h - programs that are computed together, one in each lane.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_SIDEBYSIDE_H
#define NEREID_CPU_COMPILER_PLAN_SIDEBYSIDE_H

#include "Generate.h"
#include "nereid/ttir/Dialect.h"

namespace nereid::cpu {

/// A kernel that runs some programs at once, neighbours along an axis of the
/// grid: what differs between them has one more dimension, the last.
struct SideBySide {
  tt::FuncOp kernel; // null: there is none
  unsigned axis = 0; // 0 to 2: x to z
  /// How many programs there are, an i32, the last argument of `kernel`: from 1
  /// to `most`. Their first has the id of the program.
  mlir::Value count;
  int64_t most = 0;
  /// Quotients and remainders of the original: scalars whose dividends are
  /// neighbours, too, as long as they are between the same multiples of a
  /// positive divisor, which must be all.
  llvm::SmallVector<mlir::Operation *, 2> divisions;
};

/// A copy of `kernel`, in the same module, if it accesses elements that are far
/// apart, next to those of the next program.
SideBySide copySideBySide(tt::FuncOp kernel, const GenerateOptions &options);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_SIDEBYSIDE_H
