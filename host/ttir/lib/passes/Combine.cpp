// Combine.cpp: merges neighbouring operations into one.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "nereid/ttir/Passes.h"

namespace nereid::tt {
#define GEN_PASS_DEF_TRITONCOMBINE
#include "nereid/ttir/Passes.h.inc"
} // namespace nereid::tt

using namespace mlir;
using namespace nereid::tt;

//===----------------------------------------------------------------------===//
// dot(a, b, 0) + c -> dot(a, b, c)
//===----------------------------------------------------------------------===//

static bool isZero(Value value) {
  if (matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat()))
    return true;
  auto splat = value.getDefiningOp<SplatOp>();
  return splat && isZero(splat.getSrc());
}

/// Partial sums of limited precision must not take in what was added at full
/// precision; integers are exact anyway.
static bool mayAccumulateInto(DotOp dot) {
  return dot.getMaxNumImpreciseAcc() == 0 ||
         isa<IntegerType>(dot.getType().getElementType());
}

static bool mayAccumulateInto(DotScaledOp) { return true; }

template <typename DotLikeOp, typename AddOp>
static LogicalResult addIntoDot(AddOp add, PatternRewriter &rewriter) {
  for (auto [sum, other] : {std::pair(add.getLhs(), add.getRhs()),
                            std::pair(add.getRhs(), add.getLhs())}) {
    auto dot = sum.template getDefiningOp<DotLikeOp>();
    if (!dot || !dot->hasOneUse() || !isZero(dot.getC()) ||
        !mayAccumulateInto(dot))
      continue;
    // Cloned at the sum, because `other` may be computed after the dot.
    auto merged = cast<DotLikeOp>(rewriter.clone(*dot));
    merged.getCMutable().assign(other);
    rewriter.replaceOp(add, merged);
    return success();
  }
  return failure();
}

//===----------------------------------------------------------------------===//
// addptr(addptr(p, i), j) -> addptr(p, i + j)
//===----------------------------------------------------------------------===//

static std::optional<APInt> getConstantOffset(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant;
  return std::nullopt;
}

/// Each offset is sign-extended by itself, so a sum in a narrow type must not
/// wrap; in 64 bits it wraps like the address would.
static bool sumIsExact(Value first, Value second) {
  if (getElementBitWidth(first.getType()) == 64)
    return true;
  std::optional<APInt> lhs = getConstantOffset(first);
  std::optional<APInt> rhs = getConstantOffset(second);
  bool overflow = true;
  if (lhs && rhs)
    (void)lhs->sadd_ov(*rhs, overflow);
  return !overflow;
}

static LogicalResult mergeAddPtr(AddPtrOp outer, PatternRewriter &rewriter) {
  auto inner = outer.getPtr().getDefiningOp<AddPtrOp>();
  if (!inner || inner.getOffset().getType() != outer.getOffset().getType() ||
      !sumIsExact(inner.getOffset(), outer.getOffset()))
    return failure();
  Value sum = rewriter.create<arith::AddIOp>(outer.getLoc(), inner.getOffset(),
                                             outer.getOffset());
  // In place, so that hints on the outer operation stay.
  rewriter.modifyOpInPlace(outer, [&] {
    outer.getPtrMutable().assign(inner.getPtr());
    outer.getOffsetMutable().assign(sum);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// select(c, load(p, splat(c), x), y) -> load(p, splat(c), y)
//===----------------------------------------------------------------------===//

/// No operation between \p first and \p last, both in one block, may write.
static bool onlyReadsBetween(Operation *first, Operation *last) {
  for (Operation *op = first->getNextNode(); op != last;
       op = op->getNextNode()) {
    if (!op)
      return false;
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!isMemoryEffectFree(op) &&
        !(effects && effects.onlyHasEffect<MemoryEffects::Read>()))
      return false;
  }
  return true;
}

static LogicalResult selectIntoLoad(arith::SelectOp select,
                                    PatternRewriter &rewriter) {
  auto load = select.getTrueValue().getDefiningOp<LoadOp>();
  if (!load || !load.getMask() || !load->hasOneUse() || load.getIsVolatile())
    return failure();
  auto mask = load.getMask().getDefiningOp<SplatOp>();
  if (!mask || mask.getSrc() != select.getCondition())
    return failure();
  // The merged load stands at the select, where `y` is known.
  if (load->getBlock() != select->getBlock() || !onlyReadsBetween(load, select))
    return failure();
  auto merged = cast<LoadOp>(rewriter.clone(*load));
  merged.getOtherMutable().assign(select.getFalseValue());
  rewriter.replaceOp(select, merged);
  return success();
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

static LogicalResult letReshapeReorder(ReshapeOp op,
                                       PatternRewriter &rewriter) {
  if (op.getAllowReorder() || op.getType().getRank() != 1 || op->use_empty() ||
      !llvm::all_of(op->getUsers(), llvm::IsaPred<ReduceOp, HistogramOp>))
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.setAllowReorder(true); });
  return success();
}

static LogicalResult reduceLoadRank(ReshapeOp op, PatternRewriter &rewriter) {
  auto load = op.getSrc().getDefiningOp<DescriptorLoadOp>();
  if (!load || !load->hasOneUse())
    return failure();
  ArrayRef<int64_t> from = load.getType().getShape();
  ArrayRef<int64_t> to = op.getType().getShape();
  if (to.size() >= from.size() || from.take_back(to.size()) != to ||
      !llvm::all_of(from.drop_back(to.size()),
                    [](int64_t size) { return size == 1; }))
    return failure();
  rewriter.modifyOpInPlace(load,
                           [&] { load.getResult().setType(op.getType()); });
  rewriter.replaceOp(op, load);
  return success();
}

namespace {

struct CombinePass : public nereid::tt::impl::TritonCombineBase<CombinePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(addIntoDot<DotOp, arith::AddFOp>);
    patterns.add(addIntoDot<DotOp, arith::AddIOp>);
    patterns.add(addIntoDot<DotScaledOp, arith::AddFOp>);
    patterns.add(mergeAddPtr);
    patterns.add(selectIntoLoad);
    patterns.add(letReshapeReorder);
    patterns.add(reduceLoadRank);
    GreedyRewriteConfig config;
    // Canonicalization came before.
    config.enableRegionSimplification = GreedySimplifyRegionLevel::Disabled;
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns),
                                            config)))
      signalPassFailure();
  }
};

} // namespace
