// Combine.h - what the combine region of a reduction or scan is.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// One table answers where an accumulator may start and which elements need not
// be visited. Both follow from the operation alone, so that a loop over
// vectors and a reduction across a subgroup of a GPU agree.

#ifndef NEREID_CODEGEN_TILE_COMBINE_H
#define NEREID_CODEGEN_TILE_COMBINE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Region.h"

namespace nereid::codegen {

/// The operation of a region that applies one to its two arguments.
enum class CombineKind {
  Other, // anything else
  AddF,
  MulF,
  MaximumF, // NaN if either is
  MinimumF,
  MaxNumF, // the other one if one is NaN
  MinNumF,
  AddI,
  MulI,
  AndI,
  OrI,
  XOrI,
  MaxSI,
  MinSI,
  MaxUI,
  MinUI,
};

/// All but `Other` are commutative, and associative but for rounding.
struct Combine {
  CombineKind kind = CombineKind::Other;

  /// What combines with every x of type `element` to x, bit for bit; null for
  /// `Other`.
  mlir::TypedAttr identity(mlir::Type element) const;

  /// True if `value` combined with itself is `value`, bit for bit. Combining it
  /// many times is then combining it once: of the elements that are known to be
  /// `value`, all but one can be left out. An accumulator over what remains
  /// starts from `value` instead of the identity.
  bool isIdempotent(mlir::Attribute value) const;

};

Combine combineOf(mlir::Region &region);

/// True if the order in which `region` combines elements decides about rounding:
/// it calculates with floating-point numbers, rather than selecting one.
bool isRounded(mlir::Region &region);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_TILE_COMBINE_H
