// ReorderBroadcast.cpp: computes before splat and broadcast, not after.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "nereid/ttir/Passes.h"

namespace nereid::tt {
#define GEN_PASS_DEF_TRITONREORDERBROADCAST
#include "nereid/ttir/Passes.h.inc"
} // namespace nereid::tt

using namespace mlir;
using namespace nereid::tt;

/// Each element of the one result depends on the same element of the operands,
/// and computing fewer of them changes nothing. Inline assembly is left out: it
/// may see several elements at once.
static bool isMovable(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 &&
         op->getNumOperands() > 0 && op->getNumRegions() == 0 &&
         isa<RankedTensorType>(op->getResult(0).getType()) &&
         isMemoryEffectFree(op) && !isa<ElementwiseInlineAsmOp>(op);
}

/// The scalar that fills all of \p value when that is a splat, or null.
/// Materialises a constant's.
static Value getSplatScalar(Value value, OpBuilder &builder) {
  if (auto splat = value.getDefiningOp<SplatOp>())
    return splat.getSrc();
  SplatElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return {};
  return builder.create<arith::ConstantOp>(
      value.getLoc(), cast<TypedAttr>(constant.getSplatValue<Attribute>()));
}

static bool isSplat(Value value) {
  return value.getDefiningOp<SplatOp>() ||
         matchPattern(value, m_Constant<SplatElementsAttr>(nullptr));
}

/// \p op on other operands. Hints are per element of the old shape and go.
static Operation *recreate(Operation *op, ValueRange operands, Type type,
                           PatternRewriter &rewriter) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(type);
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return rewriter.create(state);
}

namespace {

/// f(splat(a), splat(b)) -> splat(f(a, b))
struct MoveSplat : public RewritePattern {
  MoveSplat(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isMovable(op))
      return failure();
    bool anySplat = false;
    for (Value operand : op->getOperands()) {
      if (!isa<RankedTensorType>(operand.getType()))
        continue;
      if (!isSplat(operand))
        return failure();
      anySplat |= static_cast<bool>(operand.getDefiningOp<SplatOp>());
    }
    // All constant: folding does that better.
    if (!anySplat)
      return failure();

    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isa<RankedTensorType>(operand.getType())
                             ? getSplatScalar(operand, rewriter)
                             : operand);
    Type type = op->getResult(0).getType();
    Operation *scalar =
        recreate(op, operands, getElementTypeOrSelf(type), rewriter);
    rewriter.replaceOpWithNewOp<SplatOp>(op, type, scalar->getResult(0));
    return success();
  }
};

/// f(broadcast(a), splat(b)) -> broadcast(f(a, splat(b)))
struct MoveBroadcast : public RewritePattern {
  MoveBroadcast(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isMovable(op))
      return failure();
    RankedTensorType source;
    for (Value operand : op->getOperands()) {
      if (!isa<RankedTensorType>(operand.getType()) || isSplat(operand))
        continue;
      auto broadcast = operand.getDefiningOp<BroadcastOp>();
      if (!broadcast)
        return failure();
      RankedTensorType type = broadcast.getSrc().getType();
      if (source && source.getShape() != type.getShape())
        return failure();
      source = type;
    }
    if (!source)
      return failure();

    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(shrink(operand, source.getShape(), rewriter));
    Type type = op->getResult(0).getType();
    Operation *small = recreate(
        op, operands, source.clone(getElementTypeOrSelf(type)), rewriter);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, type, small->getResult(0));
    return success();
  }

private:
  /// \p operand in the smaller shape; a scalar has none.
  static Value shrink(Value operand, ArrayRef<int64_t> shape,
                      PatternRewriter &rewriter) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      return operand;
    if (auto broadcast = operand.getDefiningOp<BroadcastOp>())
      return broadcast.getSrc();
    Type small = type.clone(shape);
    if (auto splat = operand.getDefiningOp<SplatOp>())
      return rewriter.create<SplatOp>(splat.getLoc(), small, splat.getSrc());
    SplatElementsAttr constant;
    matchPattern(operand, m_Constant(&constant));
    return rewriter.create<arith::ConstantOp>(
        operand.getLoc(), constant.resizeSplat(cast<ShapedType>(small)));
  }
};

struct ReorderBroadcastPass
    : public nereid::tt::impl::TritonReorderBroadcastBase<
          ReorderBroadcastPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<MoveSplat, MoveBroadcast>(&getContext());
    BroadcastOp::getCanonicalizationPatterns(patterns, &getContext());
    ExpandDimsOp::getCanonicalizationPatterns(patterns, &getContext());
    GreedyRewriteConfig config;
    // Canonicalization came before.
    config.enableRegionSimplification = GreedySimplifyRegionLevel::Disabled;
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns),
                                            config)))
      signalPassFailure();
  }
};

} // namespace
