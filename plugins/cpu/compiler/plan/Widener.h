// Widener.h - a kernel with one more dimension, for programs.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_WIDENER_H
#define NEREID_CPU_COMPILER_PLAN_WIDENER_H

#include "plan/Differences.h"
#include "plan/SideBySide.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace nereid::cpu {

/// Copies a kernel with a dimension for programs.
class Widener {
public:
  Widener(tt::FuncOp kernel, const Differences &differences, int64_t most)
      : kernel(kernel), differences(differences), most(most), builder(kernel) {}

  SideBySide run();

private:
  mlir::Type widened(mlir::Type type) const;
  mlir::Value wide(mlir::Value value);
  mlir::Value spread(mlir::Value scalar);
  mlir::Value activeOf(llvm::ArrayRef<int64_t> shape);
  void copyBlock(mlir::Block &block);
  void copy(mlir::Operation *op);
  void copyWide(mlir::Operation *op);
  void copyAccess(mlir::Operation *op);
  void copyLoop(mlir::scf::ForOp loop);
  mlir::Operation *createLike(mlir::Operation *op, mlir::ValueRange operands);

  tt::FuncOp kernel;
  const Differences &differences;
  const int64_t most;
  mlir::OpBuilder builder;
  mlir::Location location = kernel.getLoc();
  mlir::IRMapping mapping; // to what is the same in all, or is wide
  llvm::DenseMap<mlir::Value, mlir::Value> base; // of neighbours: the first
  mlir::Value lanes, active;                     // [most], i32 and i1
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_WIDENER_H
