// AddressBounds.h - the address ranges of accesses, as scalars that are
// computed before a program accesses memory. SPDX-FileCopyrightText: the Nereid
// authors SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_ADDRESSBOUNDS_H
#define NEREID_CPU_COMPILER_PLAN_ADDRESSBOUNDS_H

#include "analysis/Access.h"
#include "plan/LeadingIndices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace nereid::cpu {

/// An interval of integers: two i64, the same one if it has one element. Its
/// elements are in [-reach, reach] if AddressBounds::areValid().
struct Bounds {
  mlir::Value low, high;
  double reach = 0;

  bool isPoint() const { return low == high; }
};

/// Emits interval arithmetic on forms, at the end of `block`, whose operations
/// run before the operation `before`.
class AddressBounds {
public:
  AddressBounds(mlir::Block &block, mlir::Operation *before,
                codegen::TileForms &forms);

  /// The first byte that `access`, a tt.load or tt.store, may touch in any
  /// iteration of the loops around it, and one past the last; nothing if they
  /// cannot be computed.
  std::optional<Bounds> of(mlir::Operation *access);

  /// An i1: do rows of the addresses of `store`, of rank 2, have no address in
  /// common? Null: unknown.
  mlir::Value haveRowsApart(mlir::Operation *store);

  /// An i1, after all bounds: are they valid? They are if no scalar is so large
  /// that a product could overflow, and no remainder has a negative operand.
  mlir::Value areValid();

  mlir::OpBuilder builder;

private:
  mlir::Value number(int64_t value);
  template <typename Op> mlir::Value make(mlir::Value a, mlir::Value b);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a,
                      mlir::Value b);
  mlir::Value known(mlir::Value value, unsigned depth = 0);
  std::optional<Bounds> scalar(mlir::Value value);
  Bounds add(const Bounds &a, const Bounds &b);
  std::optional<Bounds> multiply(const Bounds &a, const Bounds &b);
  std::optional<Bounds> of(const codegen::Polynomial &polynomial);
  std::optional<Bounds> factor(mlir::Value value);
  std::optional<Bounds> iterations(mlir::scf::ForOp loop);
  std::optional<Bounds> carried(mlir::BlockArgument argument);
  std::optional<Bounds> index(mlir::Value tile, unsigned dim, mlir::Value mask);
  std::optional<Bounds> elements(const codegen::TileForm &form,
                                 mlir::Value tile, mlir::Value mask);
  std::optional<Bounds> remainder(mlir::Value tile);

  mlir::Location loc;
  mlir::Operation *before;
  codegen::TileForms &forms;
  LeadingIndices leading;
  mlir::DominanceInfo dominance;
  mlir::IRMapping copies; // of what is computed later
  llvm::DenseMap<mlir::Value, std::optional<Bounds>> factors;
  llvm::DenseMap<mlir::Value, std::optional<Bounds>> remainders;
  mlir::Value largest;     // of scalars that may be too large
  mlir::Value arePositive; // i1: operands of remainders; null: there are none
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_ADDRESSBOUNDS_H
