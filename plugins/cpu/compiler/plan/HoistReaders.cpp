// HoistReaders.cpp - what reads a tile that a dot and a reduction need, right
// after it.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// In attention, between the exponentials of a block, their sums and their
// conversion for the next product, users compute what they scale the old sums
// by. That nest of rows would end the one that computes the exponentials, which
// were then kept in memory and read twice.

#include "plan/Planner.h"

using namespace mlir;

namespace nereid::cpu {

/// From `op` on, the element-wise operations of its block that compute an
/// operand of a dot there from one other tile, each the next one's operand;
/// none if it is not such a one.
static SmallVector<Operation *, 2> conversionFrom(Operation *op) {
  SmallVector<Operation *, 2> chain;
  Block *block = op->getBlock();
  while (op->getBlock() == block && op->hasTrait<OpTrait::Elementwise>() &&
         op->getNumOperands() == 1 && isMemoryEffectFree(op) &&
         op->hasOneUse()) {
    chain.push_back(op);
    if (dotOf(op))
      return chain;
    op = *op->user_begin();
  }
  return {};
}

/// Moves what reads `tile`, a result of `op`, to right after that, if those are
/// reductions and a dot or the conversion for one.
static void hoistReadersOf(Operation *op, Value tile) {
  SmallVector<Operation *> readers;
  bool isReduced = false, isMultiplied = false;
  for (Operation *user : tile.getUsers()) {
    if (user->getBlock() != op->getBlock())
      continue;
    if (isa<tt::DotOp>(user)) {
      isMultiplied = true;
    } else if (isa<tt::ReduceOp>(user) && user->getNumOperands() == 1 &&
               isMemoryEffectFree(user)) {
      isReduced = true;
      readers.push_back(user);
    } else if (auto chain = conversionFrom(user); !chain.empty()) {
      isMultiplied = true;
      llvm::append_range(readers, chain);
    }
  }
  if (!isReduced || !isMultiplied)
    return;
  llvm::sort(readers, [](Operation *a, Operation *b) {
    return b->isBeforeInBlock(a); // the first is moved last, to be the first
  });
  for (Operation *reader : readers)
    reader->moveAfter(op);
}

void hoistReaders(tt::FuncOp function) {
  SmallVector<Operation *> expressions;
  function.walk([&](Operation *op) {
    if (op->getNumResults() == 1 && isTileExpression(op))
      expressions.push_back(op);
  });
  for (Operation *op : expressions)
    hoistReadersOf(op, op->getResult(0));
}

} // namespace nereid::cpu
