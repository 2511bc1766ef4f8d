// MaskIntervals.h - a mask as a conjunction of conditions, and a condition as
// an interval of the index.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A comparison of integers whose sides grow by constants along an axis holds
// in an interval of the index, so that a loop needs no mask there. Integers
// wrap: both sides must stay in their types along the axis. Where that follows
// from constants it is known now; else it depends on their first values, and
// a program compares those once (IntervalBound::checks).

#ifndef NEREID_CODEGEN_ANALYSIS_MASKINTERVALS_H
#define NEREID_CODEGEN_ANALYSIS_MASKINTERVALS_H

#include "analysis/TileForm.h"

namespace nereid::codegen {

/// Where a comparison holds along one dimension of its index, all others fixed:
/// below a bound, or from a bound on. With the sides' values at index 0,
///   lhs + stride * index < rhs
/// and the like; `lhs` and `rhs` are of type i64 or narrower.
struct IntervalBound {
  /// A side stays in its type along the axis if its value at index 0 is at most
  /// (at least) `limit`.
  struct Check {
    unsigned side; // 0: lhs, 1: rhs
    bool isUpper;
    int64_t limit;
  };
  mlir::Value lhs, rhs;  // tiles, in the condition's dimensions
  int64_t stride = 0;    // of lhs - rhs, not 0
  bool isUpper = false;  // index < bound, or index >= bound
  bool orEqual = false;  // <= or >= rather than < or >
  bool isNarrow = false; // lhs - rhs is an i64, whatever they are
  llvm::SmallVector<Check, 2> checks; // an interval only if all of them hold
};

/// A condition at an index that follows from another: of a mask that it is a
/// part of, of a value that is loaded under it, or of a loop nest.
struct ConditionAt {
  mlir::Value condition; // i1, a tile or a scalar
  IndexMap map;          // its index in the other

  bool operator==(const ConditionAt &other) const {
    return condition == other.condition && map == other.map;
  }
  /// The same, in terms of an index that the other follows from by `outer`.
  ConditionAt in(llvm::ArrayRef<IndexSource> outer) const {
    return {condition, compose(map, outer)};
  }
};

/// One conjunct of a mask; its index is known (no IndexSource::Other).
struct MaskConjunct : ConditionAt {
  DimSet dependsOn = 0; // in the mask's dimensions
};

/// The conditions whose conjunction is `mask`, through and, and through shape
/// operations.
llvm::SmallVector<MaskConjunct, 4> conjunctsOf(mlir::Value mask,
                                               TileForms &forms);

/// How a tile of integers grows along a dimension: value(i) is value(0) +
/// stride * i in a type of `bits` bits, sign-extended. It does not wrap if
/// value(0) is at most `limit`, with a negative stride at least; `isInRange` if
/// that is known.
struct Progression {
  int64_t stride = 0;
  unsigned bits = 64;
  int64_t limit = INT64_MAX;
  bool isInRange = false;
};

/// Nothing if `tile` is no progression along `axis`, or is sure to wrap.
std::optional<Progression> progressionOf(mlir::Value tile, unsigned axis,
                                         TileForms &forms);

/// The interval of `condition` (a signed comparison of integers) along
/// dimension `axis`; nothing if it has none.
std::optional<IntervalBound> intervalOf(mlir::Value condition, unsigned axis,
                                        TileForms &forms);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_ANALYSIS_MASKINTERVALS_H
