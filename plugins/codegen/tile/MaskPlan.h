// MaskPlan.h - plans how a loop evaluates the masks of a group of accesses.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A loop over a vector axis turns the bounds into ranges; on a GPU, where an
// axis is distributed over threads, the same conditions become uniform
// branches.

#ifndef NEREID_CODEGEN_TILE_MASKPLAN_H
#define NEREID_CODEGEN_TILE_MASKPLAN_H

#include "analysis/MaskIntervals.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid::codegen {

/// A condition of some mask, at an index of the loop nest.
struct PlannedCondition : ConditionAt {
  /// Where it is true along the axis; none: it is invariant along the axis.
  std::optional<IntervalBound> bound;
  /// Where it is false, no access has an effect.
  bool isActive = false;
};

/// A tile `offs % M`, used as an offset, that has stride 1 along the axis if it
/// does not wrap around: the dividend at index 0 is in [0, limit], and the
/// remainder at index 0 plus the size of the axis is at most the divisor.
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
  mlir::Value pointers, mask; // mask may be null
  IndexMap map;
};

/// The rank of the loop nest is at most 32; its vector axis is `axis`. Only
/// conditions and offsets for which `isReady` is true can be evaluated before
/// the loops.
class MaskPlanner {
public:
  MaskPlanner(unsigned axis, TileForms &forms,
              llvm::function_ref<bool(mlir::Value)> isReady)
      : axis(axis), forms(forms), isReady(isReady) {}

  /// Adds the conditions of the access's mask that are an interval of the axis
  /// or invariant along it.
  void addConditions(const MaskedAccess &access);
  /// Adds the remainders in the access's addresses that may be contiguous.
  void addWraps(const MaskedAccess &access);
  /// Drops conditions for which `drop` is true.
  void dropIf(llvm::function_ref<bool(const PlannedCondition &)> drop);
  /// Marks conditions outside of which no access has an effect.
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
