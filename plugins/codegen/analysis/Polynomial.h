// Polynomial.h - integers that a program computes once, as sums of products
// of scalar SSA values.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_ANALYSIS_POLYNOMIAL_H
#define NEREID_CODEGEN_ANALYSIS_POLYNOMIAL_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace nereid::codegen {

/// `coefficient` times the product of `factors`; no factors: a constant.
struct Monomial {
  llvm::SmallVector<mlir::Value, 2> factors; // sorted
  int64_t coefficient = 0;
};

/// Integers of fewer bits wrap within the memory that a program may access.
constexpr unsigned kOffsetBits = 32;

/// A sum of monomials with different factors, none with coefficient 0. Values
/// are meant as 64-bit signed integers that do not wrap: an offset that would
/// overflow 32 bits addresses no memory of the program anyway. Polynomials are
/// for addresses only; what decides about anything else (a mask) evaluates the
/// operations themselves (MaskIntervals.h).
class Polynomial {
public:
  Polynomial() = default;
  Polynomial(int64_t constant);
  /// `value` itself, not looked into.
  static Polynomial symbol(mlir::Value value);
  /// `value` as far as additions, multiplications, constant shifts and sign
  /// extensions explain it. Values from outside `value`'s defining operation
  /// chain stay symbols, as do those beyond the first few hundred operations,
  /// and what mayWrapIn() its type before it is extended.
  static Polynomial of(mlir::Value value);

  Polynomial operator+(const Polynomial &other) const;
  Polynomial operator-(const Polynomial &other) const;
  /// Nothing if the product would have more than a handful of monomials.
  std::optional<Polynomial> times(const Polynomial &other) const;
  Polynomial scaled(int64_t factor) const;
  /// The monomials for which `isKept` is true.
  Polynomial filtered(llvm::function_ref<bool(const Monomial &)> isKept) const;
  bool operator==(const Polynomial &other) const;

  /// True if a coefficient is not a signed integer of `bits` bits: arithmetic in
  /// such a type is meant to wrap, as in hashing.
  bool exceeds(unsigned bits) const;
  /// True if arithmetic in a type of `bits` bits is meant to wrap, or the type
  /// is so narrow that a wrapped offset may be the one of memory.
  bool mayWrapIn(unsigned bits) const;
  /// True if nothing is computed: a constant or one symbol.
  bool isValue() const;

  bool isZero() const { return monomials.empty(); }
  std::optional<int64_t> constant() const;
  llvm::ArrayRef<Monomial> terms() const { return monomials; }

  /// The largest power of two that is known to divide it, from coefficients
  /// and factors (Divisibility.h).
  int64_t divisibility() const;

private:
  void add(Monomial monomial);
  llvm::SmallVector<Monomial, 2> monomials; // sorted by factors
};

/// The constant that `value` is, if it has at most 64 bits; an i1 is 0 or 1.
std::optional<int64_t> constantOf(mlir::Value value);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_ANALYSIS_POLYNOMIAL_H
