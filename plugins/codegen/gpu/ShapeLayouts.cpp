// ShapeLayouts.cpp - the table of shape operations.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "gpu/ShapeLayouts.h"

#include "nereid/ttir/Dialect.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::codegen::gpu {

static ArrayRef<int64_t> shapeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType()).getShape();
}

/// `layout` with a last dimension of size 2 whose elements are in neighboring
/// registers.
static Layout withPairs(const Layout &layout) {
  SmallVector<int64_t> pairs(layout.shape());
  pairs.push_back(2);
  return layout.expanded(layout.rank()).broadcast(pairs);
}

/// The first half of `layout`, and the second, which hold what `layout` holds
/// at the same places.
static Layout halfOf(const Layout &layout, ArrayRef<int64_t> shape) {
  auto wrap = [&](ArrayRef<ElementIndex> bases) {
    Bases result(bases);
    for (ElementIndex &basis : result)
      basis &= layout.elements() / 2 - 1;
    return result;
  };
  return {shape, wrap(layout.registerBases()), wrap(layout.laneBases()),
          wrap(layout.warpBases())};
}

/// Twice `layout`, the second half in further registers.
static Layout doubled(const Layout &layout, ArrayRef<int64_t> shape) {
  Bases registers(layout.registerBases());
  registers.push_back(layout.elements());
  return {shape, registers, Bases(layout.laneBases()),
          Bases(layout.warpBases())};
}

std::optional<Layout> shapeOperandLayout(Operation *op, unsigned operand,
                                         const Layout &result) {
  using Rule = std::optional<Layout>;
  ArrayRef<int64_t> shape;
  if (Value source = op->getOperand(operand);
      isa<RankedTensorType>(source.getType()))
    shape = shapeOf(source);
  return llvm::TypeSwitch<Operation *, Rule>(op)
      .Case([&](tt::BroadcastOp) { return result.beforeBroadcast(shape); })
      .Case([&](tt::ExpandDimsOp expand) {
        return result.without(expand.getAxis());
      })
      .Case([&](tt::ReshapeOp) { return result.reshaped(shape); })
      .Case([&](tt::TransOp trans) {
        SmallVector<int32_t> inverse(trans.getOrder().size());
        for (auto [dim, source] : llvm::enumerate(trans.getOrder()))
          inverse[source] = dim;
        return result.transposed(inverse);
      })
      .Case([&](tt::JoinOp) { return result.without(result.rank() - 1); })
      .Case([&](tt::SplitOp) { return withPairs(result); })
      .Case([&](tt::CatOp) { return halfOf(result, shape); })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<Layout> shapeResultLayout(Operation *op, const Layout &operand) {
  using Rule = std::optional<Layout>;
  return llvm::TypeSwitch<Operation *, Rule>(op)
      .Case([&](tt::BroadcastOp broadcast) {
        return operand.broadcast(shapeOf(broadcast.getResult()));
      })
      .Case([&](tt::ExpandDimsOp expand) {
        return operand.expanded(expand.getAxis());
      })
      .Case([&](tt::ReshapeOp reshape) {
        return operand.reshaped(shapeOf(reshape.getResult()));
      })
      .Case([&](tt::TransOp trans) {
        return operand.transposed(trans.getOrder());
      })
      .Case([&](tt::JoinOp) { return withPairs(operand); })
      .Case([&](tt::SplitOp) {
        return operand.without(operand.rank() - 1).compacted();
      })
      .Case([&](tt::CatOp cat) {
        return doubled(operand, shapeOf(cat.getResult()));
      })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace nereid::codegen::gpu
