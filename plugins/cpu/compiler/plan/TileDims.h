// TileDims.h - which dimensions of a kernel's tiles have the same index.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_TILEDIMS_H
#define NEREID_CPU_COMPILER_PLAN_TILEDIMS_H

#include "nereid/ttir/Dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntEqClasses.h"

#include <optional>

namespace nereid::cpu {

/// Sets of dimensions. Those of one set have the same size, and element i along
/// any of them depends, of the others, on elements i only.
class TileDims {
public:
  explicit TileDims(tt::FuncOp kernel);

  /// The set of dimension `dim` of `tile`.
  unsigned setOf(mlir::Value tile, unsigned dim) const {
    return sets[first.lookup(tile) + dim];
  }
  /// Does an operation depend on all elements along the dimensions of `set`, or
  /// have two of them, or is it unknown? Reductions are apart.
  bool isWhole(unsigned set) const { return whole.test(set); }
  /// The reductions along the dimensions of `set`.
  llvm::SmallVector<tt::ReduceOp, 2> reductionsOf(unsigned set) const;
  /// The dimension of `value` that is in `set`, if it has one.
  std::optional<unsigned> dimIn(unsigned set, mlir::Value value) const;

  /// Makes the tiles in `block` `size` long along the dimensions of `set`:
  /// ranges begin with element `first` of what they were, an i32.
  void shorten(mlir::Block &block, unsigned set, int64_t size,
               mlir::Value first) const;

private:
  void number(mlir::Value value);
  void join(mlir::Value a, unsigned dimOfA, mlir::Value b, unsigned dimOfB);
  void joinAll(mlir::ValueRange values);
  void keepWhole(mlir::Value value, unsigned dim);
  void keepWhole(mlir::Operation *op);
  void visit(mlir::Operation *op);
  void visitLoop(mlir::scf::ForOp loop);

  llvm::DenseMap<mlir::Value, unsigned> first; // the number of dimension 0
  llvm::IntEqClasses sets;
  llvm::SmallVector<unsigned> wholeDims;
  llvm::SmallVector<std::pair<unsigned, tt::ReduceOp>> reductions;
  llvm::BitVector whole; // sets
  unsigned count = 0;
};

/// Gives each user of an operation without tiles, in `kernel`, its own: rows
/// and columns may share their numbers, and zeros.
void separateSources(tt::FuncOp kernel);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_TILEDIMS_H
