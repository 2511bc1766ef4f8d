// AddressBounds.h - the address ranges of accesses, as formulas of a launch and
// of a program's position.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_ADDRESSBOUNDS_H
#define NEREID_CPU_COMPILER_PLAN_ADDRESSBOUNDS_H

#include "analysis/MaskIntervals.h"
#include "plan/ScalarBounds.h"

namespace nereid::cpu {

/// Interval arithmetic on the forms of tiles.
class AddressBounds : public ScalarBounds {
public:
  AddressBounds(const codegen::KernelInfo &info, codegen::TileForms &forms,
                BoundsOf programs = BoundsOf::Program)
      : ScalarBounds(info, programs), forms(forms) {}

  /// The first byte that `access`, a tt.load or tt.store, may touch in any
  /// iteration of the loops around it, and one past the last; nothing if they
  /// are not known.
  std::optional<Bounds> ofAccess(mlir::Operation *access);

  /// Not negative if rows of the addresses of `store`, of rank 2, have no
  /// address in common; nothing if that is not known.
  std::optional<WorkValue> distanceOfRows(mlir::Operation *store);

  /// The same in all iterations of the loops around `store`: of addresses with
  /// different indices along `dim`.
  std::optional<WorkValue> distanceInLoops(mlir::Operation *store,
                                           unsigned dim);

  /// Not negative if no byte is in both.
  WorkValue distance(const Bounds &a, const Bounds &b);

protected:
  /// The elements of `tile`, of this form, for which `mask`, or null, may be
  /// true; `limited` adds what a mask compares in an iteration of a loop.
  std::optional<Bounds> elements(const codegen::TileForm &form,
                                 mlir::Value tile, mlir::Value mask);
  /// The first byte of these elements at `pointer`, an argument, and one past
  /// the last.
  std::optional<Bounds> bytesOf(mlir::BlockArgument pointer,
                                const Bounds &elements);

private:
  std::optional<WorkValue> firstElement(mlir::Value tile);
  void requireSigns(const codegen::IntervalBound &bound, WorkValue lhs,
                    WorkValue rhs);
  std::optional<Bounds> limited(const codegen::TileForm &form, mlir::Value tile,
                                mlir::Value mask);
  std::optional<Bounds> limitedBy(const codegen::IntervalBound &bound,
                                  unsigned own, unsigned dim,
                                  const codegen::TileForm &form,
                                  mlir::Value tile, mlir::Value mask);
  WorkValue lastIndex(mlir::Value mask, unsigned dim, int64_t size);
  std::optional<Bounds> remainder(mlir::Value tile);

  codegen::TileForms &forms;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_ADDRESSBOUNDS_H
