// MaskPlan.h - what the masks of a group of accesses become in a loop along one
// axis, decided before any code is written.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A loop over a vector axis makes ranges of the bounds; a GPU, where an axis is
// spread over threads, makes uniform branches of the same conditions.

#ifndef NEREID_CODEGEN_TILE_MASKPLAN_H
#define NEREID_CODEGEN_TILE_MASKPLAN_H

#include "analysis/MaskIntervals.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid::codegen {

/// A condition that some mask asks for, at an index of the loop nest.
struct PlannedCondition : ConditionAt {
  /// Where it holds along the axis; none: it is the same all along it.
  std::optional<IntervalBound> bound;
  /// Where it does not hold there is nothing to do.
  bool isActive = false;
};

/// A tile `offs % M`, used as an offset, that grows by 1 along the axis as long
/// as it does not wrap around: if the dividend at index 0 is in [0, limit], and
/// the remainder there leaves room for the axis below the divisor.
struct PlannedWrap {
  mlir::Value tensor;
  int64_t limit;
};

struct MaskPlan {
  llvm::SmallVector<PlannedCondition, 4> conditions;
  llvm::SmallVector<PlannedWrap, 2> wraps;

  bool isEmpty() const { return conditions.empty() && wraps.empty(); }
  bool hasWrap(mlir::Value tensor) const {
    return llvm::any_of(wraps, [&](const PlannedWrap &wrap) {
      return wrap.tensor == tensor;
    });
  }
};

/// A load or store of a tile, at an index of the loop nest.
struct MaskedAccess {
  mlir::Value pointers, mask; // no mask: null
  IndexMap map;
};

/// The rank of the loop nest is at most 32; its vector axis is `axis`. A value
/// is ready before the loops if `isReady`: a condition or offset that is not
/// cannot be asked for there.
class MaskPlanner {
public:
  MaskPlanner(unsigned axis, TileForms &forms,
              llvm::function_ref<bool(mlir::Value)> isReady)
      : axis(axis), forms(forms), isReady(isReady) {}

  /// Adds the conditions of the access's mask that are an interval of the axis
  /// or the same along all of it.
  void addConditions(const MaskedAccess &access);
  /// Adds the remainders in the access's addresses that may be contiguous.
  void addWraps(const MaskedAccess &access);
  /// Drops conditions that `drop` holds for.
  void dropIf(llvm::function_ref<bool(const PlannedCondition &)> drop);
  /// Marks conditions outside of which nothing is to be done.
  void setActive(llvm::function_ref<bool(const ConditionAt &)> isInactive);
  MaskPlan take() { return std::move(plan); }

private:
  unsigned axis;
  TileForms &forms;
  llvm::function_ref<bool(mlir::Value)> isReady;
  MaskPlan plan;
};

/// True if `condition` is a conjunct of the access's mask.
bool isConjunctOf(const ConditionAt &condition, const MaskedAccess &access,
                  TileForms &forms);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_TILE_MASKPLAN_H
