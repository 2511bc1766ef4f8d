// RowValues.cpp - values that are the same in all of a row.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A kernel of one dimension has tiles of one size, also for what is the same in
// all of a row, such as its number in another tensor. Once the tiles have the
// dimensions of their index, operands are broadcast from smaller ones: then the
// operation is one on smaller tiles, and its result is broadcast. A buffer for
// it has an element for each row, and its range costs little to find.

#include "plan/RowValues.h"

#include "plan/IndexParts.h"

#include "tile/Ops.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"

#include <optional>

using namespace mlir;

namespace nereid::cpu {

/// The number that all elements of `tile` are, if it is a constant.
static SplatElementsAttr constantOf(Value tile) {
  auto constant = tile.getDefiningOp<arith::ConstantOp>();
  return constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                  : SplatElementsAttr();
}

/// The shape that `op` has with the sources of its broadcast operands, or none
/// if it is no smaller, or not all others are the same everywhere.
static std::optional<SmallVector<int64_t>> narrowShapeOf(Operation *op) {
  std::optional<SmallVector<int64_t>> shape;
  ArrayRef<int64_t> whole;
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      continue;
    whole = type.getShape();
    auto broadcast = operand.getDefiningOp<tt::BroadcastOp>();
    if (!broadcast) {
      if (operand.getDefiningOp<tt::SplatOp>() || constantOf(operand))
        continue;
      return std::nullopt;
    }
    ArrayRef<int64_t> source = broadcast.getSrc().getType().getShape();
    if (!shape)
      shape.emplace(source.size(), 1);
    for (auto [size, other] : llvm::zip_equal(*shape, source))
      size = std::max(size, other);
  }
  if (!shape || whole == ArrayRef(*shape))
    return std::nullopt;
  return shape;
}

/// The part of `operand` that has the shape `shape`.
static Value narrow(OpBuilder &builder, Value operand,
                    ArrayRef<int64_t> shape) {
  auto whole = dyn_cast<RankedTensorType>(operand.getType());
  if (!whole)
    return operand;
  auto type = RankedTensorType::get(shape, whole.getElementType());
  Location location = operand.getLoc();
  if (auto broadcast = operand.getDefiningOp<tt::BroadcastOp>())
    return broadcastTo(builder, location, broadcast.getSrc(), shape);
  if (auto splat = operand.getDefiningOp<tt::SplatOp>())
    return builder.create<tt::SplatOp>(location, type, splat.getSrc());
  return builder.create<arith::ConstantOp>(
      location, constantOf(operand).resizeSplat(type));
}

static bool isNarrowable(Operation *op) {
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return !load.getIsVolatile();
  return isa<tt::AssertOp>(op) || codegen::isElementOp(op);
}

void narrowRowValues(tt::FuncOp kernel) {
  SmallVector<Operation *> candidates;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isNarrowable(op))
      candidates.push_back(op);
  });
  for (Operation *op : candidates) {
    auto shape = narrowShapeOf(op);
    if (!shape)
      continue;
    OpBuilder builder(op);
    IRMapping operands;
    for (Value operand : op->getOperands())
      operands.map(operand, narrow(builder, operand, *shape));
    Operation *smaller = builder.clone(*op, operands);
    for (auto [result, whole] :
         llvm::zip_equal(smaller->getResults(), op->getResults())) {
      auto type = cast<RankedTensorType>(whole.getType());
      result.setType(RankedTensorType::get(*shape, type.getElementType()));
      whole.replaceAllUsesWith(
          broadcastTo(builder, op->getLoc(), result, type.getShape()));
    }
    op->erase();
  }
}

} // namespace nereid::cpu
