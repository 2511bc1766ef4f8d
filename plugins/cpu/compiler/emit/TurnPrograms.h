// TurnPrograms.h - which programs of a call take turns together.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_TURNPROGRAMS_H
#define NEREID_CPU_COMPILER_EMIT_TURNPROGRAMS_H

#include "emit/ProgramGroup.h"

namespace nereid::cpu {

/// Programs that follow one another and, in a loop, read the same operands of
/// dots, or blocks that are neighbours. Programs between them that return
/// before the loop take no turn.
class TurnPrograms : protected ProgramGroup {
protected:
  TurnPrograms(Emitter &emitter, const TurnLoop &turns);

  /// Programs that follow one another, i64: all that have been looked at, and
  /// those of them that take turns. The others have returned early.
  struct Collected {
    llvm::Value *seen, *taken;
  };

  /// An operand that some of the programs share.
  struct Operand {
    const TurnOperand &plan;
    llvm::Value *tiles; // of the first program
    Place fillers; // i64: of a program, the first one with the same operand
    llvm::SmallVector<Place, 4> key;
  };

  void makePlaces(const ProgramIds &ids);

  /// Stores the ids of the programs that take turns: of as many as `left` those
  /// with the key of the first, which has `ids`, and with an operand of
  /// another. `ids` become those of the program after them.
  Collected collect(ProgramIds &ids, llvm::Value *left, NextIds next);

  const TurnLoop &turns;
  llvm::SmallVector<Operand, 2> operands;

private:
  /// An i1: does `program`, which has `ids`, have the key of the first? The
  /// first one's is stored. Goes to `returned` if it returns early.
  llvm::Value *isLike(llvm::ArrayRef<llvm::AllocaInst *> key,
                      llvm::Value *program, const ProgramIds &ids,
                      llvm::BasicBlock *returned);
  /// Finds out who fills the operands of `program`, whose scalars are known. An
  /// i1: is it the first program, or has it an operand of another?
  llvm::Value *findFillers(llvm::Value *program);
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_TURNPROGRAMS_H
