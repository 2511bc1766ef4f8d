// MaskIntervals.h - a mask as a conjunction of conditions, and a condition as
// an interval of the index.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A comparison of integers whose sides have constant strides along an axis is
// true in an interval of the index, where a loop needs no mask. Integers wrap:
// both sides must not overflow along the axis, and both sides of an unsigned
// comparison must be non-negative, which makes it equal to the signed one.
// Constants may prove that at compile time; otherwise it depends on the first
// values, which each program checks once (IntervalBound::checks).

#ifndef NEREID_CODEGEN_ANALYSIS_MASKINTERVALS_H
#define NEREID_CODEGEN_ANALYSIS_MASKINTERVALS_H

#include "analysis/TileForm.h"

namespace nereid::codegen {

/// Where a comparison is true along one dimension of its index, all others
/// fixed: below a bound, or from a bound on. With the values of both sides at
/// index 0,
///   lhs + stride * index < rhs
/// or similar; `lhs` and `rhs` have type i64 or narrower.
struct IntervalBound {
  /// A side does not overflow along the axis, or is non-negative there, if its
  /// value at index 0 is at most (at least) `limit`.
  struct Check {
    unsigned side; // 0: lhs, 1: rhs
    bool isUpper;
    int64_t limit;
  };
  mlir::Value lhs, rhs;  // tiles, in the condition's dimensions
  int64_t stride = 0;    // of lhs - rhs, not 0
  bool isUpper = false;  // index < bound, or index >= bound
  bool orEqual = false;  // <= or >= instead of < or >
  bool isNarrow = false; // lhs - rhs cannot overflow an i64
  llvm::SmallVector<Check, 2> checks; // an interval only if all are true
};

/// A condition at an index that is a function of another index: that of a mask
/// that contains it, of a value loaded under it, or of a loop nest.
struct ConditionAt {
  mlir::Value condition; // i1, a tile or a scalar
  IndexMap map;          // its index in the other

  bool operator==(const ConditionAt &other) const {
    return condition == other.condition && map == other.map;
  }
  /// The same condition, composed with the map `outer` of the other index.
  ConditionAt in(llvm::ArrayRef<IndexSource> outer) const {
    return {condition, compose(map, outer)};
  }
};

/// One conjunct of a mask; its map has no IndexSource::Other.
struct MaskConjunct : ConditionAt {
  DimSet dependsOn = 0; // in the mask's dimensions
};

/// The conditions whose conjunction is `mask`; looks through `and` and shape
/// operations.
llvm::SmallVector<MaskConjunct, 4> conjunctsOf(mlir::Value mask,
                                               TileForms &forms);

/// A tile of integers along a dimension: value(i) = value(0) + stride * i in a
/// type of `bits` bits, sign-extended; signedBitsOf() it is `valueBits`. It
/// does not wrap if value(0) is at most `limit` (with a negative stride: at
/// least); `isInRange` if that is proven. Unless it wraps, all values are
/// non-negative if value(0) is at least `leastNonNegative`; `isNonNegative` is
/// the answer if it is known.
struct Progression {
  int64_t stride = 0;
  unsigned bits = 64;
  unsigned valueBits = 64;
  int64_t limit = INT64_MAX;
  int64_t leastNonNegative = 0;
  bool isInRange = false;
  std::optional<bool> isNonNegative;
};

/// The progression of `tile` along `axis`, if it has one that does not
/// certainly wrap.
std::optional<Progression> progressionOf(mlir::Value tile, unsigned axis,
                                         TileForms &forms);

/// The interval of `condition` (a comparison of integers) along dimension
/// `axis`, if it has one.
std::optional<IntervalBound> intervalOf(mlir::Value condition, unsigned axis,
                                        TileForms &forms);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_ANALYSIS_MASKINTERVALS_H
