// ShortBranches.cpp - branches of which both sides are computed.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/ShortBranches.h"

#include "plan/TileProgram.h"
#include "tile/Ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::cpu {

/// More take longer than a pass over the tiles in scratch.
static constexpr unsigned kMostComputed = 16; // of tiles, of both sides

/// May `op` be computed where its result is not needed? It neither reads memory
/// nor can it trap.
static bool canSpeculate(Operation *op) {
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          tt::ExternElementwiseOp>(op))
    return false;
  return codegen::isElementOp(op) ||
         isa<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp>(op);
}

static bool isShort(scf::IfOp branch) {
  if (branch.getElseRegion().empty() ||
      llvm::none_of(branch.getResults(), [](Value it) { return isTile(it); }))
    return false;
  unsigned count = 0;
  for (Region *side : {&branch.getThenRegion(), &branch.getElseRegion()})
    for (Operation &op : side->front().without_terminator()) {
      if (!canSpeculate(&op))
        return false;
      count += op.getNumResults() == 1 && isTile(op.getResult(0)) &&
               !op.hasTrait<OpTrait::ConstantLike>();
    }
  return count <= kMostComputed;
}

void flattenShortBranches(tt::FuncOp kernel) {
  kernel.walk([](scf::IfOp branch) {
    if (!isShort(branch))
      return;
    OpBuilder builder(branch);
    for (Block *side : {branch.thenBlock(), branch.elseBlock()})
      for (Operation &op :
           llvm::make_early_inc_range(side->without_terminator()))
        op.moveBefore(branch);
    for (auto [result, a, b] :
         llvm::zip(branch.getResults(), branch.thenYield().getOperands(),
                   branch.elseYield().getOperands()))
      result.replaceAllUsesWith(builder.create<arith::SelectOp>(
          branch.getLoc(), branch.getCondition(), a, b));
    branch.erase();
  });
}

} // namespace nereid::cpu
