// Sums of f16 and bf16 in f32, rounded once at the end.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A reduction or scan may combine its elements in any order. A GPU adds them as
// a tree, so that a result accumulates few roundings; a sequential loop in bf16
// would exceed the 1 % error that Triton's tests of scans allow.

#include "Structured.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace nereid::codegen {

static bool isShortFloat(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

static bool isCast(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp>(op);
}

static bool rounds(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             math::FmaOp>(op);
}

/// True if \p op has the same meaning with wider types.
static bool canWiden(Operation *op) {
  if (isCast(op))
    return op->getOperand(0).getType().isF32() ||
           op->getResult(0).getType().isF32();
  return rounds(op) ||
         isa<arith::ConstantOp, arith::SelectOp, arith::CmpFOp, arith::NegFOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp,
             arith::MinimumFOp, math::AbsFOp>(op);
}

static bool shouldWiden(Region &region) {
  if (!region.hasOneBlock())
    return false;
  bool roundsShort = false;
  for (Operation &op : region.front().without_terminator()) {
    bool isShort = llvm::any_of(op.getOperandTypes(), isShortFloat) ||
                   llvm::any_of(op.getResultTypes(), isShortFloat);
    if (isShort && !canWiden(&op))
      return false;
    roundsShort |= isShort && rounds(&op);
  }
  return roundsShort;
}

static Type widened(Type type) {
  if (!isShortFloat(type))
    return type;
  Type f32 = Float32Type::get(type.getContext());
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(f32)) : f32;
}

/// Values from outside the region are widened by \p builder.
static void widenBody(OpBuilder &builder, Block &block) {
  for (BlockArgument argument : block.getArguments())
    argument.setType(widened(argument.getType()));
  for (Operation &op : llvm::make_early_inc_range(block)) {
    for (OpOperand &operand : op.getOpOperands())
      if (Value value = operand.get(); isShortFloat(value.getType()))
        operand.set(builder.create<arith::ExtFOp>(
            op.getLoc(), widened(value.getType()), value));
    for (OpResult result : op.getResults())
      result.setType(widened(result.getType()));
    if (isCast(&op) &&
        op.getOperand(0).getType() == op.getResult(0).getType()) {
      op.getResult(0).replaceAllUsesWith(op.getOperand(0));
      op.erase();
    } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
        constant.setValueAttr(
            FloatAttr::get(constant.getType(), number.getValueAsDouble()));
    }
  }
}

void widenCombination(Operation *op) {
  if (!shouldWiden(op->getRegion(0)))
    return;
  OpBuilder builder(op);
  OperationState state(op->getLoc(), op->getName());
  state.addAttributes(op->getAttrDictionary().getValue());
  for (Value operand : op->getOperands()) {
    Type type = widened(operand.getType());
    if (type != operand.getType())
      operand = builder.create<arith::ExtFOp>(op->getLoc(), type, operand);
    state.addOperands(operand);
  }
  for (Type type : op->getResultTypes())
    state.addTypes(widened(type));
  state.addRegion()->takeBody(op->getRegion(0));
  Operation *wide = builder.create(state);
  builder.setInsertionPoint(wide);
  widenBody(builder, wide->getRegion(0).front());
  builder.setInsertionPointAfter(wide);
  for (auto [before, after] : llvm::zip(op->getResults(), wide->getResults())) {
    Value result = after;
    if (before.getType() != after.getType())
      result = builder.create<arith::TruncFOp>(op->getLoc(), before.getType(),
                                               after);
    before.replaceAllUsesWith(result);
  }
  op->erase();
}

} // namespace nereid::codegen
