// MaskIntervals.h - a mask as a conjunction of conditions, and a condition as
// an interval of the index.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A comparison of two forms whose difference has a constant stride along an
// axis holds in an interval of the index, so that a loop needs no mask there.

#ifndef NEREID_CODEGEN_MASKINTERVALS_H
#define NEREID_CODEGEN_MASKINTERVALS_H

#include "analysis/TileForm.h"

namespace nereid::codegen {

/// The half-open interval of the index along `axis` in which a comparison
/// holds, all other indices fixed: derived from `lhs - rhs = difference`.
struct IntervalBound {
  bool isUpper = false;  // index < bound, or index >= bound
  TileForm difference;   // of lhs and rhs
  int64_t stride = 0;    // of the difference along the axis, not 0
  bool orEqual = false;  // <= or >= rather than < or >
  bool negated = false;  // the predicate was > or >=
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

/// The interval of `condition` (a comparison of integers) along dimension
/// `axis`; nothing if it has none.
std::optional<IntervalBound> intervalOf(mlir::Value condition, unsigned axis,
                                        TileForms &forms);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_MASKINTERVALS_H
