// Combine.h - classifies the combine region of a reduction or scan.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// One table defines the initial values of accumulators and which elements may
// be skipped. Both depend only on the operation, so that a loop over vectors
// and a reduction across a GPU subgroup agree.

#ifndef NEREID_CODEGEN_TILE_COMBINE_H
#define NEREID_CODEGEN_TILE_COMBINE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Region.h"

namespace nereid::codegen {

/// How two values are combined to one.
enum class CombineKind {
  Other, // anything else
  AddF,
  MulF,
  MaximumF, // NaN if either is
  MinimumF,
  MaxNumF, // the other operand if one is NaN
  MinNumF,
  GreaterF, // the first if it is greater or NaN, else the second
  LessF,    // the first if it is less or NaN, else the second
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

/// All but `Other` are associative except for rounding.
struct Combine {
  CombineKind kind = CombineKind::Other;

  /// Does the order of the operands never matter? It does for GreaterF and
  /// LessF if both are zero, of different signs.
  bool isCommutative() const;

  /// The identity: combining it with any x of type `element` yields x, bit for
  /// bit. Null for `Other`.
  mlir::TypedAttr identity(mlir::Type element) const;

  /// True if combining `value` with itself yields `value`, bit for bit. Then
  /// all elements that are known to be `value` can be skipped, if the
  /// accumulator starts from `value` instead of the identity.
  bool isIdempotent(mlir::Attribute value) const;
};

/// A value that combines two others, by one operation or by a comparison and
/// a selection.
struct Combination : Combine {
  mlir::Value first, second;
  llvm::SmallVector<mlir::Operation *, 4> ops; ///< in order

  /// A combination of kind `Other` is none.
  explicit operator bool() const { return kind != CombineKind::Other; }
};

Combination combinationOf(mlir::Value value);

/// What a region does with its two arguments.
Combine combineOf(mlir::Region &region);

/// True if rounding depends on the order in which `region` combines elements:
/// it computes with floating-point numbers instead of selecting one.
bool isRounded(mlir::Region &region);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_TILE_COMBINE_H
