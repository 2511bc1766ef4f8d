// LoopUnroll.cpp: unrolls loops by the factor that the kernel asks for.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

// Not scf::loopUnrollByFactor, which in MLIR 19 is right for bounds of type
// index only, and Triton's are i32 or i64.
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "nereid/ttir/Passes.h"

namespace nereid::tt {
#define GEN_PASS_DEF_TRITONLOOPUNROLL
#include "nereid/ttir/Passes.h.inc"
} // namespace nereid::tt

using namespace mlir;
using namespace nereid::tt;

static constexpr StringLiteral kUnrollFactor = "tt.loop_unroll_factor";
static constexpr StringLiteral kNumStages = "tt.num_stages";

namespace {

/// The iterations of a loop, cut into whole groups and a rest:
/// [lower, middle) in steps of `group`, then [middle, upper) as before.
struct Split {
  Value group, middle;
};

} // namespace

static Split split(scf::ForOp loop, int64_t factor, OpBuilder &builder) {
  Location loc = loop.getLoc();
  Type type = loop.getInductionVar().getType();
  auto constant = [&](int64_t value) -> Value {
    return builder.createOrFold<arith::ConstantOp>(
        loc, builder.getIntegerAttr(type, value));
  };
  Value lower = loop.getLowerBound(), step = loop.getStep();
  Value group =
      builder.createOrFold<arith::MulIOp>(loc, step, constant(factor));
  // A loop that never runs has a negative span, which must not move `middle`.
  Value span = builder.createOrFold<arith::MaxSIOp>(
      loc,
      builder.createOrFold<arith::SubIOp>(loc, loop.getUpperBound(), lower),
      constant(0));
  // Rounded up to whole steps; unsigned, because that may exceed the type.
  Value steps = builder.createOrFold<arith::AddIOp>(
      loc, span, builder.createOrFold<arith::SubIOp>(loc, step, constant(1)));
  Value groups = builder.createOrFold<arith::DivUIOp>(loc, steps, group);
  Value middle = builder.createOrFold<arith::AddIOp>(
      loc, lower, builder.createOrFold<arith::MulIOp>(loc, groups, group));
  return {group, middle};
}

/// The body of \p loop once, at induction value \p index on \p values; gives
/// what it yields.
static SmallVector<Value> copyBody(scf::ForOp loop, Value index,
                                   ValueRange values, OpBuilder &builder) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), index);
  mapping.map(loop.getRegionIterArgs(), values);
  for (Operation &op : loop.getBody()->without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) {
    return mapping.lookupOrDefault(value);
  });
}

static scf::ForOp makeGroups(scf::ForOp loop, const Split &parts,
                             int64_t factor, OpBuilder &builder) {
  auto copies = [&](OpBuilder &inner, Location loc, Value index,
                    ValueRange values) {
    SmallVector<Value> current(values);
    for (int64_t copy = 0; copy < factor; ++copy) {
      if (copy > 0)
        index = inner.create<arith::AddIOp>(loc, index, loop.getStep());
      current = copyBody(loop, index, current, inner);
    }
    inner.create<scf::YieldOp>(loc, current);
  };
  auto groups = builder.create<scf::ForOp>(loop.getLoc(), loop.getLowerBound(),
                                           parts.middle, parts.group,
                                           loop.getInitArgs(), copies);
  groups->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  return groups;
}

/// True when \p lower to \p upper is known to hold no iteration.
static bool isEmpty(Value lower, Value upper) {
  APInt from, to;
  return matchPattern(lower, m_ConstantInt(&from)) &&
         matchPattern(upper, m_ConstantInt(&to)) && from.sge(to);
}

/// Before anything is copied, since a factor is but a number in the source;
/// \p made is what unrolling has made so far.
static LogicalResult checkSize(scf::ForOp loop, int64_t factor,
                               uint64_t &made) {
  uint64_t operations = 0;
  loop.getBody()->walk([&](Operation *) { ++operations; });
  made += operations * factor;
  if (made <= kMaxOperations)
    return success();
  return emitError(loop.getLoc())
         << "unrolling this loop of " << operations << " operations " << factor
         << " times makes more than " << kMaxOperations << " operations";
}

static LogicalResult unroll(scf::ForOp loop, int64_t factor, uint64_t &made) {
  IRRewriter rewriter(loop);
  Split parts = split(loop, factor, rewriter);
  if (isEmpty(loop.getLowerBound(), parts.middle))
    return success();
  if (failed(checkSize(loop, factor, made)))
    return failure();
  scf::ForOp groups = makeGroups(loop, parts, factor, rewriter);
  if (isEmpty(parts.middle, loop.getUpperBound())) {
    rewriter.replaceOp(loop, groups);
    (void)groups.promoteIfSingleIteration(rewriter);
    return success();
  }
  loop.setLowerBound(parts.middle);
  loop.getInitArgsMutable().assign(groups.getResults());
  // The rest is too short to pipeline.
  loop->setAttr(kNumStages, rewriter.getI32IntegerAttr(1));
  return success();
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
    uint64_t made = 0;
    for (auto [loop, factor] : loops) {
      loop->removeAttr(kUnrollFactor);
      if (factor > 1 && failed(unroll(loop, factor, made)))
        return signalPassFailure();
    }
  }
};

} // namespace
