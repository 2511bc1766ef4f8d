// Deferred.h - loops with deferred dots.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_DOT_DEFERRED_H
#define NEREID_CPU_COMPILER_EMIT_DOT_DEFERRED_H

#include "emit/dot/Dot.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <array>

namespace nereid::cpu {

/// Where a right operand is packed from: `first`, in rows that are `row`
/// elements apart, if the i1 `isUsed` is true; null: from its buffer.
struct PackSource {
  llvm::Value *isUsed = nullptr, *first = nullptr, *row = nullptr;
};

/// Emits the bookkeeping of a loop with deferred dots: which tile of its
/// buffers belongs to an iteration, and when the products are computed.
class DeferredDotsEmitter {
public:
  /// Emits nothing for a loop without deferred dots.
  DeferredDotsEmitter(Emitter &emitter, mlir::scf::ForOp loop);

  /// Before the loop, in the block that enters its header.
  void beforeLoop();
  /// In the loop's header, whose predecessors are `entry` and the latch.
  /// `isLater`, an i1: iterations before these have products; null: none has.
  void begin(llvm::BasicBlock *entry, llvm::Value *isLater = nullptr);
  /// Before and after the steps of the loop's body.
  void enterIteration();
  void leaveIteration();
  /// After the loop: multiplies the operands of the last deferred iterations.
  void end();

  /// An i1: must `nest`, a step of the body, run in this iteration? Null:
  /// always.
  llvm::Value *isNeeded(const Nest &nest);
  /// After the operands of this iteration are there, an i1: must the right one
  /// be packed? Null: yes.
  llvm::Value *mustPackRight();
  PackSource packSource() const { return source; }
  /// After the operands of this iteration are there: multiplies those that are
  /// deferred, if no more can be.
  void emitDot(tt::DotOp dot);

private:
  /// A tile of an operand that may be in place: an i1, and its first element.
  struct Place {
    llvm::Value *isInPlace = nullptr, *first = nullptr;
  };
  /// An operand that may be in place; nothing is set if it never is.
  struct Side {
    const InPlaceOperand *operand = nullptr;
    llvm::Value *stride = nullptr;    // bytes
    llvm::Value *isAllowed = nullptr; // i1: in this program; null: yes
    /// The tile of the first deferred iteration, before and after this one, and
    /// that of this iteration.
    Place before, started, now;
  };
  /// A place of each side.
  using Places = std::array<Place, 2>;

  void compareKey();
  void findSides();
  llvm::Value *fitsFrom(const InPlaceOperand &operand, llvm::Value *rows);
  llvm::Value *isPart();
  llvm::Value *tileAt(const Buffer *buffer, llvm::Value *index);
  llvm::Value *firstSlot();
  ProductOperands operandsOf(tt::DotOp dot, const Places &places,
                             llvm::Value *iterations);
  void placeIn(ProductOperands &operands, tt::DotOp dot, const Places &places);
  Places placesOf(Place Side::*which) const;
  llvm::Value *continues(const Side &side);
  void emitInPlaceDot(tt::DotOp dot);
  llvm::Value *overlapsLeft(llvm::Value *first, llvm::Value *row,
                            int64_t rowBytes);
  void placeSums(llvm::Value *isLeft);
  llvm::Value *keepsResult();
  llvm::SmallVector<llvm::Value *> addressesToPrefetch(tt::DotOp dot);

  Emitter &emitter;
  llvm::IRBuilder<> &b;
  mlir::scf::ForOp loop;
  const DeferredDots *deferred = nullptr;
  llvm::DenseMap<const Buffer *, llvm::Value *> bases;
  /// Buffers have slots for the tiles of some iterations, which are filled one
  /// after the other. The operands of the last `count` iterations are
  /// deferred: no more than there are slots, or any number if both are in place.
  llvm::PHINode *slot = nullptr;     // of this iteration
  llvm::PHINode *count = nullptr;    // before it; `slot` without in-place ones
  llvm::Value *hasNext = nullptr;    // i1: another iteration follows
  llvm::Value *isLastSlot = nullptr; // i1: the next iteration has the first
  llvm::Value *isFull = nullptr;     // i1: no more can be deferred
  llvm::Value *isEnded = nullptr; // i1: after this iteration, none is deferred
  llvm::PHINode *hasSums = nullptr; // i1: there were products before
  Side sides[2];                    // left and right
  PackSource source;                // in this iteration
  // What the product after the loop writes with a SumStore: ProductOperands.
  llvm::Value *written = nullptr, *writtenRow = nullptr;
  // Shared.
  llvm::PHINode *group = nullptr;       // of slots
  llvm::Value *isSame = nullptr;        // i1: the program before has its key
  llvm::Value *isShared = nullptr;      // i1: an earlier program packed it
  llvm::Value *holdsAll = nullptr;      // i1: the buffer holds all iterations
  llvm::AllocaInst *isPacked = nullptr; // for later programs
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_DOT_DEFERRED_H
