// TurnLoop.h - loops that programs which follow one another run side by side.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_TURNLOOP_H
#define NEREID_CPU_COMPILER_PLAN_TURNLOOP_H

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace nereid::cpu {

struct Buffer;

/// An operand of deferred dots in `tiles`, which have a group for each program.
/// Those of programs that take turns, and for which `key`, scalars from before
/// the loop, is the same, are equal.
struct TurnOperand {
  Buffer *tiles = nullptr;
  /// The buffer of one iteration that `tiles` are packed from, or null.
  const Buffer *unpacked = nullptr;
  llvm::SetVector<mlir::Value> key;
};

/// A loop of the function in which programs that follow one another take turns:
/// each runs an iteration before the first runs its next one. With deferred
/// dots, it runs and multiplies as many as these defer.
struct TurnLoop {
  mlir::scf::ForOp loop;
  int64_t programs = 0; // at most
  unsigned axis = 0;    // of the grid, along which programs follow one another
  /// Buffers that the turns of other programs leave alone: there is a group of
  /// tiles for each program.
  llvm::SetVector<Buffer *> own;
  /// Buffers that the first program of a turn fills for the others.
  llvm::DenseSet<const Buffer *> shared;
  /// Scalars from before the loop that the shared ones depend on: programs for
  /// which they differ do not take turns.
  llvm::SetVector<mlir::Value> key;
  /// With deferred dots, what some of the programs share. One takes part if it
  /// shares an operand with another.
  llvm::SmallVector<TurnOperand, 2> operands;
};

/// A loop of the function with a dot whose products, if they have few rows, are
/// computed together with those of the programs after it.
struct JointLoop {
  mlir::scf::ForOp loop;
  const Buffer *sums = nullptr; // a group of tiles for each program
  int64_t programs = 0;         // at most, with the first
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_TURNLOOP_H
