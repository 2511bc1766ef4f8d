// LoopInvariantCodeMotion.cpp: hoists what a loop does not change.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "nereid/ttir/Passes.h"

namespace nereid::tt {
#define GEN_PASS_DEF_TRITONLOOPINVARIANTCODEMOTION
#include "nereid/ttir/Passes.h.inc"
} // namespace nereid::tt

using namespace mlir;
using namespace nereid::tt;

/// True when nothing in \p loop may change what a load reads.
static bool onlyReads(scf::ForOp loop) {
  WalkResult result = loop.getBody()->walk([](Operation *op) {
    // Operations with regions are judged by what those hold.
    if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return WalkResult::advance();
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    bool reads = effects && (effects.hasNoEffect() ||
                             effects.onlyHasEffect<MemoryEffects::Read>());
    return reads ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

static bool runsAtLeastOnce(scf::ForOp loop) {
  APInt lower, upper;
  return matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) &&
         matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) &&
         lower.slt(upper);
}

/// A loop that never runs must not touch memory: the hoisted load also asks for
/// a first iteration.
static void addTripCountMask(LoadOp load, scf::ForOp loop) {
  OpBuilder builder(load);
  Location loc = load.getLoc();
  Value mask =
      builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                    loop.getLowerBound(), loop.getUpperBound());
  if (isa<RankedTensorType>(load.getType()))
    mask = builder.create<SplatOp>(loc, getI1SameShape(load.getType()), mask);
  if (load.getMask())
    mask = builder.create<arith::AndIOp>(loc, mask, load.getMask());
  load.getMaskMutable().assign(mask);
}

static void hoistLoads(scf::ForOp loop) {
  if (!onlyReads(loop))
    return;
  for (LoadOp load :
       llvm::make_early_inc_range(loop.getBody()->getOps<LoadOp>())) {
    bool invariant = llvm::all_of(load->getOperands(), [&](Value operand) {
      return loop.isDefinedOutsideOfLoop(operand);
    });
    // A block pointer has no mask to which the trip count could be added.
    if (!invariant || load.getIsVolatile() ||
        isBlockPointer(load.getPtr().getType()))
      continue;
    load->moveBefore(loop);
    if (!runsAtLeastOnce(loop))
      addTripCountMask(load, loop);
  }
}

namespace {

struct LoopInvariantCodeMotionPass
    : public nereid::tt::impl::TritonLoopInvariantCodeMotionBase<
          LoopInvariantCodeMotionPass> {
  void runOnOperation() override {
    // Inner loops come first, so that an outer one sees what they gave up.
    getOperation().walk([](LoopLikeOpInterface loop) {
      moveLoopInvariantCode(loop);
      auto forOp = dyn_cast<scf::ForOp>(loop.getOperation());
      if (!forOp)
        return;
      hoistLoads(forOp);
      // What only depended on those loads can follow them.
      moveLoopInvariantCode(loop);
    });
  }
};

} // namespace
