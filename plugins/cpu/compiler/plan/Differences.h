// Differences.h - what differs between neighbouring programs of a grid.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_DIFFERENCES_H
#define NEREID_CPU_COMPILER_PLAN_DIFFERENCES_H

#include "nereid/ttir/Dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseSet.h"

namespace nereid::cpu {

/// What differs between programs that are neighbours along an axis.
class Differences {
public:
  explicit Differences(unsigned axis) : axis(axis) {}

  /// Finds it; false if the kernel has something that does not allow to run
  /// several programs as one.
  bool find(tt::FuncOp kernel);
  bool differs(mlir::Value value) const { return values.contains(value); }
  /// Does the scalar `value` grow by one from a program to the next?
  bool isNeighbour(mlir::Value value) const {
    return neighbours.contains(value);
  }
  bool differsAny(mlir::ValueRange values) const {
    return llvm::any_of(values,
                        [&](mlir::Value value) { return differs(value); });
  }

  const unsigned axis; // 0 to 2: x to z
  /// Quotients and remainders of neighbours (SideBySide::divisions).
  llvm::SmallVector<mlir::Operation *, 2> divisions;
  llvm::SmallVector<mlir::Operation *>
      accesses; // of tiles or scalars, that differ

private:
  bool visit(mlir::Block &block);
  bool visit(mlir::Operation *op);
  bool visitLoop(mlir::scf::ForOp loop);
  bool visitDivision(mlir::Operation *op);
  void add(mlir::ValueRange some) {
    for (mlir::Value value : some)
      grew |= values.insert(value).second;
  }

  llvm::DenseSet<mlir::Value> values, neighbours;
  bool grew = false;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_DIFFERENCES_H
