// IndexMap.h - the index at which an operation reads its operands.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_ANALYSIS_INDEXMAP_H
#define NEREID_CODEGEN_ANALYSIS_INDEXMAP_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace nereid::codegen {

/// A set of dimensions, bit d for dimension d. Ranks stay below 32.
using DimSet = uint32_t;

/// Where the index along one dimension of a tile comes from, in terms of an
/// outer index (of another tile, or of a loop nest).
struct IndexSource {
  enum Kind : uint8_t {
    Dim,       // the outer index along `dim`
    Zero,      // always 0
    UpperBits, // the outer index along `dim` without its `bits` lower bits
    Other      // anything else
  };
  Kind kind = Zero;
  uint8_t dim = 0;
  uint8_t bits = 0;

  static IndexSource zero() { return {}; }
  static IndexSource other() { return {Other}; }
  static IndexSource along(unsigned dim, unsigned bits = 0) {
    return {bits ? UpperBits : Dim, uint8_t(dim), uint8_t(bits)};
  }

  /// The outer dimension that this index depends on, if there is exactly one.
  std::optional<unsigned> dimension() const {
    if (kind == Dim || kind == UpperBits)
      return dim;
    return std::nullopt;
  }
  bool isDim(unsigned number) const { return kind == Dim && dim == number; }
  bool isAlong(unsigned number) const { return dimension() == number; }
  bool operator==(const IndexSource &other) const {
    return kind == other.kind && dim == other.dim && bits == other.bits;
  }
  bool operator!=(const IndexSource &other) const { return !(*this == other); }
};

/// The source of every dimension of a tile; empty for a scalar.
using IndexMap = llvm::SmallVector<IndexSource, 4>;

/// The identity: dimension d comes from dimension d.
IndexMap identityMap(unsigned rank);

/// True if the first `count` dimensions are mapped to themselves.
bool isIdentity(llvm::ArrayRef<IndexSource> map, unsigned count);

/// True if some dimension is IndexSource::Other.
bool hasOther(llvm::ArrayRef<IndexSource> map);

/// Operations whose result has, at every index, an element of their only
/// operand: splat, broadcast, expand_dims, trans, reshape, split.
bool isShapeOp(mlir::Operation *op);

/// The least and the largest element of `tile`, if it is a tt.make_range or
/// made of one by shape operations.
std::optional<std::pair<int64_t, int64_t>> numbersOf(mlir::Value tile);

/// The constant c if `op` is a gather in one dimension whose element i is
/// element i ^ c of its operand.
std::optional<int64_t> exchangeDistanceOf(mlir::Operation *op);

/// The index at which `op` reads its operand number `operand` to compute the
/// element of its result at the index `map`. Not for reductions, scans and
/// dots, which read more than one element.
IndexMap operandMap(mlir::Operation *op, unsigned operand,
                    llvm::ArrayRef<IndexSource> map);

/// The composition of two maps: dimension d of the result comes from what
/// dimension inner[d].dim of `outer` comes from.
IndexMap compose(llvm::ArrayRef<IndexSource> inner,
                 llvm::ArrayRef<IndexSource> outer);

/// The outer dimensions, a subset of `all`, that a tile at index `map` depends
/// on if it depends on its own dimensions `depends`.
DimSet mapDims(DimSet depends, llvm::ArrayRef<IndexSource> map, DimSet all);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_ANALYSIS_INDEXMAP_H
