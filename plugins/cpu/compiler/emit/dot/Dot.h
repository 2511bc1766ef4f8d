// Dot.h - the functions that multiply tiles.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Operands have been converted to a type the machine multiplies (Prepare.h) and
// lie in scratch, row by row or, where isLeftTransposed or isRightTransposed
// says so, column by column. What is done with them, c += a * b, is a function
// for each shape, so that dots of one shape share its code:
//
//   void (a, b, c, rounds, (first, row, round)...)
//
// A dot in a loop may wait (DotQueue): then there are `rounds` tiles of a one
// after the other, and of b, and their products are added to c in this order.
// Meanwhile it may ask for memory that later rounds read (ReadAhead): rows from
// `first` on, with so many bytes from one to the next and from round to round.

#ifndef NEREID_CPU_COMPILER_EMIT_DOT_DOT_H
#define NEREID_CPU_COMPILER_EMIT_DOT_DOT_H

#include "emit/Emitter.h"

namespace nereid::cpu {

/// Lines of memory: so many of each row of each round.
struct DotAhead {
  int64_t rounds, rows, lines;
};

/// c[m, n] += sum_r sum_k a[r, m, k] * b[r, k, n], batch by batch.
struct DotShape {
  DotKind kind = DotKind::Elements;
  mlir::Type factor, sum;
  int64_t batches = 1, rows = 1, columns = 1, depth = 1;
  DotBlock block;     // of DotKind::Elements and Pairs
  DotPacking packing; // of the right operand, where it is packed
  bool isLeftTransposed = false, isRightTransposed = false;
  /// Does each round have a tile of its own?
  bool queuesLeft = false, queuesRight = false;
  int64_t rounds = 1; // at most
  llvm::SmallVector<DotAhead, 2> ahead;

  int64_t factorBytes() const { return factor.getIntOrFloatBitWidth() / 8; }
  bool repeats() const { return queuesLeft || queuesRight; }
  int64_t leftElements() const { return batches * rows * depth; }
  int64_t rightElements() const { return batches * depth * columns; }
};

/// Arguments of the function that is being written.
struct DotArguments {
  llvm::Value *left, *right, *sums;
  llvm::Value *rounds; // i64
  llvm::ArrayRef<llvm::Value *> ahead; // first, row, round of each
};

/// Asks for one of `shares` parts of what `shape.ahead` says, the `number`th:
/// bit by bit, so that products hide how long memory takes.
void emitAhead(llvm::IRBuilder<> &b, const DotShape &shape,
               const DotArguments &in, llvm::Value *number, int64_t shares);

/// DotKind::Elements and Pairs: blocks of sums in vector registers.
void emitVectorDot(Emitter &emitter, const DotShape &shape,
                   const DotArguments &in);

/// DotKind::Tiles: blocks of sums in the tile registers of AMX.
void emitTileDot(Emitter &emitter, const DotShape &shape,
                 const DotArguments &in);

/// The rounds of a loop in which dots may wait.
class QueueEmitter {
public:
  /// Nothing is emitted for a loop without a queue.
  QueueEmitter(Emitter &emitter, mlir::Operation *loop);

  /// In the loop's header, which is reached from `entry` and latches.
  void begin(llvm::BasicBlock *entry);
  /// Before and after the steps of the loop's body.
  void enterRound();
  void leaveRound();
  /// After the loop: multiplies what still waits.
  void end();

private:
  Emitter &emitter;
  mlir::Operation *loop;
  const DotQueue *queue = nullptr;
  llvm::PHINode *count = nullptr; // rounds that wait
};

/// Writes the left operand, which is transposed, in the order of its use: row
/// by row for the tile registers, pairs of a column next to each other for
/// DotKind::Pairs.
void emitPackLeft(Emitter &emitter, const DotShape &shape, llvm::Value *from,
                  llvm::Value *to);

/// Writes the right operand as `shape.packing` says.
void emitPackRight(Emitter &emitter, const DotShape &shape, llvm::Value *from,
                   llvm::Value *to);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_DOT_DOT_H
