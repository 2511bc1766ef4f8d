// AddressBounds.h - the address ranges of accesses, as formulas of a launch and
// of a program's position.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_ADDRESSBOUNDS_H
#define NEREID_CPU_COMPILER_PLAN_ADDRESSBOUNDS_H

#include "analysis/MaskIntervals.h"
#include "kernel/KernelInfo.h"
#include "plan/LaunchFormula.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::cpu {

/// An interval of integers. Its elements are in [-reach, reach] if
/// AddressBounds::validity() is not negative.
struct Bounds {
  WorkValue low, high;
  double reach = 0;

  bool isPoint() const {
    return low.isConstant == high.isConstant && low.number == high.number;
  }
};

/// Interval arithmetic on forms.
class AddressBounds {
public:
  AddressBounds(const codegen::KernelInfo &info, codegen::TileForms &forms)
      : info(info), forms(forms) {}

  /// The first byte that `access`, a tt.load or tt.store, may touch in any
  /// iteration of the loops around it, and one past the last; nothing if they
  /// are not known.
  std::optional<Bounds> of(mlir::Operation *access);

  /// Not negative if rows of the addresses of `store`, of rank 2, have no
  /// address in common; nothing if that is not known.
  std::optional<WorkValue> distanceOfRows(mlir::Operation *store);

  /// After all bounds: negative if they are not valid, since a scalar is so
  /// large that arithmetic might overflow, or is negative where it should not.
  WorkValue validity();

  LaunchFormula formula;

private:
  void require(WorkValue margin);
  void requireAtLeast(WorkValue value, int64_t least);
  std::optional<Bounds> scalar(mlir::Value value);
  std::optional<Bounds> computeScalar(mlir::Value value);
  std::optional<Bounds> computeOperation(mlir::Operation *op);
  Bounds position(int64_t kind, int64_t axis);
  Bounds add(const Bounds &a, const Bounds &b);
  std::optional<Bounds> multiply(const Bounds &a, const Bounds &b);
  std::optional<Bounds> of(const codegen::Polynomial &polynomial);
  std::optional<Bounds> factor(mlir::Value value);
  std::optional<Bounds> iterations(mlir::scf::ForOp loop);
  std::optional<Bounds> carried(mlir::BlockArgument argument);
  std::optional<WorkValue> firstElement(mlir::Value tile);
  WorkValue lastIndex(mlir::Value mask, unsigned dim, int64_t size);
  std::optional<Bounds> elements(const codegen::TileForm &form,
                                 mlir::Value tile, mlir::Value mask);
  std::optional<Bounds> remainder(mlir::Value tile);

  const codegen::KernelInfo &info;
  codegen::TileForms &forms;
  llvm::DenseMap<mlir::Value, std::optional<Bounds>> scalars, factors;
  WorkValue smallest, largest;       // of arguments
  std::optional<WorkValue> required; // the least of what must not be negative
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_ADDRESSBOUNDS_H
