// TileForm.h - a tile of integers or pointers as a function of its index: base,
// stride per dimension, and terms that are not affine.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Shared by all backends. A load whose pointers have stride 1 along the axis of
// a vector or of a warp is one wide access.

#ifndef NEREID_CODEGEN_ANALYSIS_TILEFORM_H
#define NEREID_CODEGEN_ANALYSIS_TILEFORM_H

#include "analysis/IndexMap.h"
#include "analysis/Polynomial.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <memory>

namespace mlir {
class Operation;
}

namespace nereid::codegen {

/// A part of a form that is not an affine function of the index: `coefficient`
/// times the element of `tensor` (a tile of integers) at index `map` of the
/// form's index, without IndexSource::Other.
struct TileTerm {
  Polynomial coefficient;
  mlir::Value tensor;
  IndexMap map;
  DimSet dependsOn = 0; // in the form's dimensions
};

/// The element at index i of a tile is
///   pointer + base + sum_d strides[d] * i[d] + sum of terms,
/// in elements of the pointee if there is a pointer. The stride of a
/// dimension of size 1 is 0. This is exact modulo 2 to the width of its type,
/// except along `mayWrap`.
struct TileForm {
  mlir::Value pointer; // a scalar; null for integers
  Polynomial base;
  llvm::SmallVector<Polynomial, 4> strides;
  llvm::SmallVector<TileTerm, 1> terms;
  /// Dimensions along which an extended narrower integer varies that might
  /// overflow its type.
  DimSet mayWrap = 0;

  bool isUniform() const;
  bool isAffine() const { return terms.empty(); }
  /// The dimensions that the value depends on.
  DimSet dependsOn() const;
  /// The dimensions that some term depends on.
  DimSet termDims() const;
  bool operator==(const TileForm &other) const;

  /// The least and the largest value in a tile of shape `shape`, if known.
  std::optional<std::pair<int64_t, int64_t>>
  range(llvm::ArrayRef<int64_t> shape) const;

  /// Adds `factor` times `other`, of the same rank. Returns false if the result
  /// would be too long; this form is then invalid.
  bool add(const TileForm &other, const Polynomial &factor);
};

/// `value` modulo `modulus`, where value is affine: the form of `offs % M`. Or,
/// if it is clamped, `value` where it is less than `modulus` as a signed
/// integer and 0 elsewhere: `tl.where(offs < M, offs, 0)`.
struct WrapForm {
  TileForm value;
  Polynomial modulus;
  bool isClamped = false;
};

/// Computes and caches the forms of a function's tiles. The function must not
/// change in the lifetime of this object.
class TileForms {
public:
  using Predicate = std::function<bool(mlir::Value)>;

  TileForms() = default;
  /// Forms do not look through tiles for which `isOpaque` is true: memory that
  /// they were read from may have changed.
  explicit TileForms(Predicate isOpaque) : opaqueTiles(std::move(isOpaque)) {}

  bool isOpaque(mlir::Value value) const {
    return opaqueTiles && opaqueTiles(value);
  }

  /// The form of a tile of integers or pointers, or of a scalar (rank 0). The
  /// form of an unknown tile of integers is the tile as a single term; an
  /// unknown tile of pointers has none (null). Valid for the lifetime of this
  /// object.
  const TileForm *of(mlir::Value value);

  /// The dimensions that `value`, any tile, depends on; it is constant along
  /// the others.
  DimSet dependsOn(mlir::Value value);

  /// Matches a tile that is an affine form modulo, or clamped below, a uniform
  /// value.
  std::optional<WrapForm> wrapOf(mlir::Value value);

  /// `form` under the assumption that no one-dimensional remainder (`offs % M`)
  /// wraps, and nothing is clamped.
  TileForm unwrapped(const TileForm &form);

  /// The stride of `form` along `dim` where remainders do not wrap; none if a
  /// term depends on `dim` in another way.
  std::optional<Polynomial> strideUnlessWrapped(const TileForm &form,
                                                unsigned dim);

private:
  std::optional<TileForm> compute(mlir::Value value);
  std::optional<TileForm> computeScalar(mlir::Value value);
  std::optional<TileForm> computeShape(mlir::Operation *op);
  std::optional<TileForm> computeReshape(mlir::Operation *op,
                                         const TileForm &form);
  std::optional<TileForm> combine(mlir::Operation *op);
  std::optional<TileForm> extend(mlir::Value source);
  TileForm opaque(mlir::Value value);

  Predicate opaqueTiles;                                        // null: none
  llvm::DenseMap<mlir::Value, std::unique_ptr<TileForm>> forms; // null: none
  llvm::DenseMap<mlir::Value, DimSet> dependence;
};

/// The form of a tile of rank `rank` whose element at each index is the element
/// at index `map` of the tile with form `form`, if there is one.
std::optional<TileForm> formAt(const TileForm &form,
                               llvm::ArrayRef<IndexSource> map, unsigned rank);

inline mlir::RankedTensorType tileType(mlir::Value value) {
  return llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
}
inline unsigned rankOf(mlir::Value value) {
  mlir::RankedTensorType type = tileType(value);
  return type ? type.getRank() : 0;
}

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_ANALYSIS_TILEFORM_H
