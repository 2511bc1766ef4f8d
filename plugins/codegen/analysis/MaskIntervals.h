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

/// One conjunct of a mask.
struct MaskConjunct {
  mlir::Value condition;           // a tile of i1
  llvm::SmallVector<int, 4> dims;  // its dimensions in the mask's, -1: index 0
  DimSet dependsOn = 0;            // in the mask's dimensions
};

/// The conditions whose conjunction is `mask`, through and, broadcast,
/// expand_dims, trans and splat.
llvm::SmallVector<MaskConjunct, 4> conjunctsOf(mlir::Value mask,
                                               TileForms &forms);

/// The interval of `condition` (a comparison of integers) along dimension
/// `axis`; nothing if it has none.
std::optional<IntervalBound> intervalOf(mlir::Value condition, unsigned axis,
                                        TileForms &forms);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_MASKINTERVALS_H
