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
#include "llvm/ADT/SmallPtrSet.h"

namespace nereid::codegen {

/// A condition of some mask, at an index of the loop nest.
struct PlannedCondition : ConditionAt {
  /// Where it is true along the axis; none: it is invariant along the axis.
  std::optional<IntervalBound> bound;
  /// Where it is false, no access has an effect.
  bool isActive = false;
};

/// A quotient or a remainder in an address, whose dividend grows by 1 with the
/// index along the axis, or not at all, and whose divisor does not change. It
/// divides the axis into pieces: until the dividend reaches the next multiple
/// of the divisor, the quotient is the same and the remainder grows as the
/// dividend does. So it is while the dividend is not negative and does not
/// overflow, and the divisor is positive.
struct PlannedDivision {
  mlir::Value value; // the result of the division, a tile
  IndexMap map;      // its index in that of the nest
  /// The dividend grows; if not, no piece ends here.
  bool grows = false;
  bool isRemainder = false;
  int64_t mostDividend = 0; // in its type, before it is extended

  /// What the value grows by in a piece.
  int64_t stride() const { return grows && isRemainder; }
};

/// A value in an address that is the same in a piece in which all conditions
/// are true: it was computed, or loaded, from what is. It may have been stored
/// to memory since, where nothing else tells.
struct PlannedConstant {
  mlir::Value value;
  IndexMap map; // its index in that of the nest
};

struct MaskPlan {
  llvm::SmallVector<PlannedCondition, 4> conditions;
  /// In the order in which they depend on each other.
  llvm::SmallVector<PlannedDivision, 2> divisions;
  llvm::SmallVector<PlannedConstant, 1> constants;
  int64_t leastDivisor = 0; // smaller ones make pieces that are too short
  /// The elements of a piece that fill no vector are a vector with a mask.
  bool masksEnds = false;

  bool isEmpty() const { return conditions.empty() && divisions.empty(); }
  bool divides(mlir::Value value) const {
    return llvm::any_of(divisions, [&](const PlannedDivision &division) {
      return division.value == value;
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
  /// Adds the divisions in the access's addresses, or in what these are
  /// computed from element by element. Constant divisors below `leastDivisor`
  /// must not end pieces.
  void addDivisions(const MaskedAccess &access, int64_t leastDivisor);
  /// Adds `value`, at the index `map`, if it is a quotient or a remainder of
  /// what a division of the plan divides, by the same: no piece ends elsewhere.
  void addTwin(mlir::Value value, const IndexMap &map);
  /// What the address of `access`, whose conditions were added, grows by along
  /// the axis in a piece in which all are true, if it grows evenly.
  std::optional<Polynomial> strideInPiece(const MaskedAccess &access);
  /// Do pieces end within `extent` elements of the axis? Where only remainders
  /// by arguments are, those of offsets that are kept in bounds, they rarely
  /// do.
  bool endPieces(int64_t extent) const;
  /// Drops conditions for which `drop` is true.
  void dropIf(llvm::function_ref<bool(const PlannedCondition &)> drop);
  /// Marks conditions outside of which no access has an effect.
  void setActive(llvm::function_ref<bool(const ConditionAt &)> isInactive);
  MaskPlan take() { return std::move(plan); }

private:
  void addDivisionsIn(mlir::Value value, const IndexMap &map,
                      llvm::SmallPtrSetImpl<mlir::Operation *> &seen);
  std::optional<int64_t> addDivision(mlir::Value value, const IndexMap &map);
  bool isImplied(mlir::Value mask, const IndexMap &map);
  bool isConstant(mlir::Value value, const IndexMap &map);
  std::optional<PlannedDivision> dividendOf(mlir::Value tile, IndexMap map);

  unsigned axis;
  TileForms &forms;
  llvm::function_ref<bool(mlir::Value)> isReady;
  MaskPlan plan;
};

/// True if `tile`, at the index `map`, changes along `axis` of the nest.
bool changesAlong(unsigned axis, mlir::Value tile,
                  llvm::ArrayRef<IndexSource> map, TileForms &forms);

/// True if `condition` is a conjunct of the access's mask.
bool isConjunctOf(const ConditionAt &condition, const MaskedAccess &access,
                  TileForms &forms);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_TILE_MASKPLAN_H
