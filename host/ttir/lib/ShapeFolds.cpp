// ShapeFolds.cpp: folds and patterns of operations that move elements.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "nereid/ttir/Dialect.h"

using namespace mlir;
using namespace nereid::tt;

/// A constant of one value in another shape, or null. Pointers have none.
static Attribute resizeSplat(Attribute constant, Type type) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(constant);
  return splat ? splat.resizeSplat(cast<ShapedType>(type)) : Attribute();
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

OpFoldResult MakeRangeOp::fold(FoldAdaptor) {
  if (getType().getNumElements() != 1)
    return {};
  return SplatElementsAttr::get(getType(), ArrayRef<Attribute>(getStartAttr()));
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  if (!isa_and_nonnull<IntegerAttr, FloatAttr>(adaptor.getSrc()))
    return {};
  return SplatElementsAttr::get(getType(),
                                ArrayRef<Attribute>(adaptor.getSrc()));
}

OpFoldResult UnsplatOp::fold(FoldAdaptor adaptor) {
  if (auto splat = getSrc().getDefiningOp<SplatOp>())
    return splat.getSrc();
  if (auto constant = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSrc()))
    return constant.getSplatValue<Attribute>();
  return {};
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return resizeSplat(adaptor.getSrc(), getType());
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getType() == getSrc().getType())
    return getSrc();
  return resizeSplat(adaptor.getSrc(), getType());
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getType() == getSrc().getType() && !getAllowReorder())
    return getSrc();
  return resizeSplat(adaptor.getSrc(), getType());
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  bool identity = true;
  for (auto [dim, from] : llvm::enumerate(getOrder()))
    identity &= static_cast<int64_t>(dim) == from;
  if (identity)
    return getSrc();

  if (auto inner = getSrc().getDefiningOp<TransOp>()) {
    SmallVector<int32_t> order;
    for (int32_t dim : getOrder())
      order.push_back(inner.getOrder()[dim]);
    setOrder(order);
    setOperand(inner.getSrc());
    return getResult();
  }
  return resizeSplat(adaptor.getSrc(), getType());
}

OpFoldResult JoinOp::fold(FoldAdaptor) {
  auto split = getLhs().getDefiningOp<SplitOp>();
  if (split && getLhs() == split.getOutLHS() && getRhs() == split.getOutRHS())
    return split.getSrc();
  return {};
}

LogicalResult SplitOp::fold(FoldAdaptor,
                            SmallVectorImpl<OpFoldResult> &results) {
  auto join = getSrc().getDefiningOp<JoinOp>();
  if (!join)
    return failure();
  results.assign({join.getLhs(), join.getRhs()});
  return success();
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// shape op (splat(x)) -> splat(x)
template <typename OpTy>
static LogicalResult mergeIntoSplat(OpTy op, PatternRewriter &rewriter) {
  auto splat = op.getSrc().template getDefiningOp<SplatOp>();
  if (!splat)
    return failure();
  rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
  return success();
}

/// expand_dims(broadcast(x)) -> broadcast(expand_dims(x)): the smaller first.
static LogicalResult expandBeforeBroadcast(ExpandDimsOp op,
                                           PatternRewriter &rewriter) {
  auto broadcast = op.getSrc().getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return failure();
  Value expanded = rewriter.create<ExpandDimsOp>(
      op.getLoc(), broadcast.getSrc(), op.getAxisAttr());
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), expanded);
  return success();
}

static LogicalResult mergeBroadcasts(BroadcastOp op,
                                     PatternRewriter &rewriter) {
  auto inner = op.getSrc().getDefiningOp<BroadcastOp>();
  if (!inner)
    return failure();
  rewriter.modifyOpInPlace(op,
                           [&] { op.getSrcMutable().assign(inner.getSrc()); });
  return success();
}

/// The merged reshape may reorder when either of the two could.
static LogicalResult mergeReshapes(ReshapeOp op, PatternRewriter &rewriter) {
  auto inner = op.getSrc().getDefiningOp<ReshapeOp>();
  if (!inner)
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    op.getSrcMutable().assign(inner.getSrc());
    op.setAllowReorder(op.getAllowReorder() || inner.getAllowReorder());
  });
  return success();
}

void ExpandDimsOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                               MLIRContext *) {
  patterns.add(mergeIntoSplat<ExpandDimsOp>);
  patterns.add(expandBeforeBroadcast);
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *) {
  patterns.add(mergeIntoSplat<BroadcastOp>);
  patterns.add(mergeBroadcasts);
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *) {
  patterns.add(mergeIntoSplat<ReshapeOp>);
  patterns.add(mergeReshapes);
}
