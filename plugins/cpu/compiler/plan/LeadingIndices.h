// LeadingIndices.h - how many leading indices of a tile a mask may be true for.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_LEADINGINDICES_H
#define NEREID_CPU_COMPILER_PLAN_LEADINGINDICES_H

#include "analysis/MaskIntervals.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"

namespace nereid::cpu {

/// Computes numbers of indices before the operation `before`.
class LeadingIndices {
public:
  LeadingIndices(mlir::Operation *before, codegen::TileForms &forms)
      : before(before), forms(forms) {}

  /// The number of indices along `dim` below which all are for which `mask` may
  /// be true: an i64 of at most the size of the dimension, perhaps negative.
  /// Null if no condition that depends on `dim` alone bounds it, or none whose
  /// operands are known there.
  mlir::Value of(mlir::Value mask, unsigned dim, mlir::OpBuilder &builder);

private:
  mlir::Value below(const codegen::IntervalBound &bound, int64_t size,
                    mlir::Location loc, mlir::OpBuilder &builder);
  mlir::Value atZero(mlir::Value value, mlir::OpBuilder &builder);

  mlir::Operation *before;
  codegen::TileForms &forms;
  mlir::DominanceInfo dominance;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_LEADINGINDICES_H
