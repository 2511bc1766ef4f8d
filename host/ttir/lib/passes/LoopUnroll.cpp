// LoopUnroll.cpp: unrolls loops by the factor that the kernel asks for.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "nereid/ttir/Passes.h"

namespace nereid::tt {
#define GEN_PASS_DEF_TRITONLOOPUNROLL
#include "nereid/ttir/Passes.h.inc"
} // namespace nereid::tt

using namespace mlir;
using namespace nereid::tt;

static constexpr StringLiteral kUnrollFactor = "tt.loop_unroll_factor";
static constexpr StringLiteral kNumStages = "tt.num_stages";

/// Loops that unrolling left between \p before and \p after.
static SmallVector<scf::ForOp> loopsBetween(Block *block, Operation *before,
                                            Operation *after) {
  SmallVector<scf::ForOp> loops;
  Operation *op = before ? before->getNextNode() : &block->front();
  for (; op && op != after; op = op->getNextNode())
    if (auto loop = dyn_cast<scf::ForOp>(op))
      loops.push_back(loop);
  return loops;
}

static void unroll(scf::ForOp loop, int64_t factor) {
  Block *block = loop->getBlock();
  Operation *before = loop->getPrevNode();
  Operation *after = loop->getNextNode();
  if (failed(loopUnrollByFactor(loop, factor)))
    return;
  // What remains of the trip count is a second loop, too short to pipeline.
  // Either of the two may be gone when it would run once.
  SmallVector<scf::ForOp> loops = loopsBetween(block, before, after);
  if (loops.size() == 2)
    loops.back()->setAttr(kNumStages,
                          Builder(loops.back()).getI32IntegerAttr(1));
}

namespace {

struct LoopUnrollPass
    : public nereid::tt::impl::TritonLoopUnrollBase<LoopUnrollPass> {
  void runOnOperation() override {
    SmallVector<std::pair<scf::ForOp, int64_t>> loops;
    // Inner loops come first, so that an outer one copies them unrolled.
    getOperation().walk([&](scf::ForOp loop) {
      if (auto factor = loop->getAttrOfType<IntegerAttr>(kUnrollFactor))
        loops.push_back({loop, factor.getInt()});
    });
    for (auto [loop, factor] : loops) {
      loop->removeAttr(kUnrollFactor);
      if (factor > 1)
        unroll(loop, factor);
    }
  }
};

} // namespace
