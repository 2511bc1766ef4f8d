// SinkScalars.cpp - scalars that are computed from reductions, as late as
// possible.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Between two sums of a row, as in `a = tl.sum(x) / n; b = tl.sum(y) / n`, the
// first quotient would end the nest that computes the first sum.

#include "plan/Planner.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::TileOpKind;

/// The scalar operations of `block` that depend on its reductions, and whose
/// place does not matter.
static DenseSet<Operation *> findLate(Block &block) {
  DenseSet<Operation *> late;
  for (Operation &op : block) {
    auto isLate = [&](Value operand) {
      Operation *source = operand.getDefiningOp();
      return source && source->getBlock() == &block &&
             (codegen::infoOf(source).kind == TileOpKind::Reduce ||
              late.contains(source));
    };
    if (codegen::infoOf(&op).kind == TileOpKind::Scalar &&
        isMemoryEffectFree(&op) && llvm::any_of(op.getOperands(), isLate))
      late.insert(&op);
  }
  return late;
}

void sinkScalars(tt::FuncOp function) {
  function.walk([](Block *block) {
    DenseSet<Operation *> late = findLate(*block);
    if (late.empty())
      return;
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block))) {
      if (!late.contains(&op))
        continue;
      Operation *first = block->getTerminator();
      for (Operation *user : op.getUsers()) {
        Operation *here = block->findAncestorOpInBlock(*user);
        if (here && here->isBeforeInBlock(first))
          first = here;
      }
      op.moveBefore(first);
    }
  });
}

} // namespace nereid::cpu
