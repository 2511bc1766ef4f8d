// Joint.h - products of few rows that are computed for several programs.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_JOINT_H
#define NEREID_CPU_COMPILER_EMIT_JOINT_H

#include "emit/ProgramGroup.h"
#include "emit/dot/Dot.h"

namespace nereid::cpu {

/// Emits the bodies of some programs as emitTurns() does: those
/// before and in the loop first, then the products that they left, and then
/// what follows the loop.
llvm::Value *emitJointBodies(Emitter &emitter, ProgramIds &ids,
                             llvm::Value *left, NextIds next);

/// Products that wait until those of the programs after them are known: they
/// have the same left operand, and the columns that follow.
class JointProducts {
public:
  /// `op` is the dot of TileProgram::joint.
  JointProducts(Emitter &emitter, tt::DotOp op);

  /// Emits code that adds the product, whose right operand is in place. Those
  /// that wait are multiplied before, if it does not continue them.
  void add(const ProductOperands &operands);
  /// Emits code that multiplies those that wait.
  void multiply();

private:
  llvm::Value *continues(llvm::ArrayRef<llvm::Value *> arguments);

  Emitter &emitter;
  llvm::IRBuilder<> &b;
  tt::DotOp op;
  int64_t rightBytes; // of a row of one program's right operand
  llvm::SmallVector<llvm::AllocaInst *> first; // arguments of the first product
  llvm::AllocaInst *count;                     // i64: so many wait
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_JOINT_H
