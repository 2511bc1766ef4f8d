// ProgramOrder.cpp - compares positions of blocks, operations and results.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "analysis/ProgramOrder.h"

#include "mlir/IR/Operation.h"

using namespace mlir;

namespace nereid::codegen {

/// A block argument comes before every operation of its block.
static bool beforeInBlock(Value a, Value b) {
  auto x = dyn_cast<BlockArgument>(a), y = dyn_cast<BlockArgument>(b);
  if (x && y)
    return x.getArgNumber() < y.getArgNumber();
  if (x || y)
    return static_cast<bool>(x);
  auto p = cast<OpResult>(a), q = cast<OpResult>(b);
  if (p.getOwner() == q.getOwner())
    return p.getResultNumber() < q.getResultNumber();
  return p.getOwner()->isBeforeInBlock(q.getOwner());
}

static unsigned depthOf(Block *block) {
  unsigned depth = 0;
  for (; Operation *op = block->getParentOp(); block = op->getBlock()) {
    ++depth;
    if (!op->getBlock())
      break;
  }
  return depth;
}

bool isBefore(Value a, Value b) {
  if (a == b)
    return false;
  Block *x = a.getParentBlock(), *y = b.getParentBlock();
  if (x == y)
    return beforeInBlock(a, b);
  unsigned depthA = depthOf(x), depthB = depthOf(y);
  if (depthA != depthB)
    return depthA < depthB;
  while (x->getParent() != y->getParent()) {
    Operation *p = x->getParentOp(), *q = y->getParentOp();
    if (p->getBlock() == q->getBlock())
      return p == q ? x->getParent()->getRegionNumber() <
                          y->getParent()->getRegionNumber()
                    : p->isBeforeInBlock(q);
    x = p->getBlock();
    y = q->getBlock();
  }
  for (Block *next = x->getNextNode(); next; next = next->getNextNode())
    if (next == y)
      return true;
  return false;
}

} // namespace nereid::codegen
