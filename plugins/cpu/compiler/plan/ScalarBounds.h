// ScalarBounds.h - the values that scalars of a program, or of all programs,
// may have, as formulas of a launch and of the program's position.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_SCALARBOUNDS_H
#define NEREID_CPU_COMPILER_PLAN_SCALARBOUNDS_H

#include "analysis/Polynomial.h"
#include "kernel/KernelInfo.h"
#include "plan/LaunchFormula.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace nereid::cpu {

/// An interval of integers. Its elements are in [-reach, reach] if
/// ScalarBounds::validity() is not negative.
struct Bounds {
  WorkValue low, high;
  double reach = 0;

  bool isPoint() const {
    return low.isConstant == high.isConstant && low.number == high.number;
  }
};

/// Whose values bounds are of: those of the program at a position or, as one
/// formula of the launch, those of all its programs.
enum class BoundsOf { Program, Launch };

/// Interval arithmetic on scalars and on polynomials of them.
class ScalarBounds {
public:
  explicit ScalarBounds(const codegen::KernelInfo &info,
                        BoundsOf programs = BoundsOf::Program)
      : info(info), programs(programs) {}

  /// After all bounds: negative if they are not valid, since a scalar is so
  /// large that arithmetic might overflow, or is negative where it should not.
  WorkValue validity();

  LaunchFormula formula;

  /// Is `value` an argument of the kernel, which is the same in all programs?
  static bool isArgument(mlir::Value value);

protected:
  static Bounds constant(int64_t number);
  /// Results of `type` below this neither wrap nor lose digits in f64.
  static double mostOf(mlir::Type type);

  void require(WorkValue margin);
  void requireAtLeast(WorkValue value, int64_t least);
  Bounds add(const Bounds &a, const Bounds &b);
  std::optional<Bounds> multiply(const Bounds &a, const Bounds &b);
  std::optional<Bounds> of(const codegen::Polynomial &polynomial);
  /// The number or the id of programs along an axis, a NEREID_WORK_* leaf.
  Bounds position(int64_t kind, int64_t axis);

  const codegen::KernelInfo &info;

private:
  std::optional<Bounds> scalar(mlir::Value value);
  std::optional<Bounds> computeScalar(mlir::Value value);
  std::optional<Bounds> computeOperation(mlir::Operation *op);
  std::optional<Bounds> computeIntervals(mlir::Operation *op, const Bounds &a,
                                         const Bounds &b);
  Bounds programId(int64_t axis);
  std::optional<Bounds> factor(mlir::Value value);
  std::optional<Bounds> iterations(mlir::scf::ForOp loop);
  std::optional<Bounds> carried(mlir::BlockArgument argument);
  std::optional<Bounds> shifted(mlir::Operation *op);

  const BoundsOf programs;
  llvm::DenseMap<mlir::Value, std::optional<Bounds>> scalars, factors;
  WorkValue smallest, largest;       // of arguments
  std::optional<WorkValue> required; // the least of what must not be negative
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_SCALARBOUNDS_H
