// MaskedRows.h - the leading rows in which a mask may be true.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_MASKEDROWS_H
#define NEREID_CPU_COMPILER_PLAN_MASKEDROWS_H

#include "analysis/MaskIntervals.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"

namespace nereid::cpu {

/// The number of leading rows in which a mask may be true, an i64, and
/// RowLimits::left; null: not known.
struct MaskedRows {
  mlir::Value rows, left;
  bool areCounted = false; // RowLimits::isCounted
};

/// Those that are computed, by mask.
using KnownRows = llvm::DenseMap<mlir::Value, MaskedRows>;

/// Computes them before an operation.
class MaskedRowsFinder {
public:
  /// For tiles of `size` rows, at `loc`, before `first`.
  MaskedRowsFinder(mlir::Operation *first, mlir::Location loc, int64_t size,
                   codegen::TileForms &forms, KnownRows &known)
      : first(first), loc(loc), size(size), forms(forms), known(known),
        builder(first) {}

  /// The rows of `mask`: of its conditions that depend on the row alone, those
  /// of one that is true up to a bound, else those up to the last row in which
  /// one is true.
  MaskedRows rowsOf(mlir::Value mask);

private:
  MaskedRows computeRowsOf(mlir::Value mask);
  mlir::Value rowsUpToLast(mlir::Value condition);
  MaskedRows rowsBelow(const codegen::IntervalBound &bound);
  mlir::Value atZero(mlir::Value value);

  mlir::Operation *first;
  mlir::Location loc;
  int64_t size;
  codegen::TileForms &forms;
  KnownRows &known;
  mlir::OpBuilder builder;
  mlir::DominanceInfo dominance;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_MASKEDROWS_H
