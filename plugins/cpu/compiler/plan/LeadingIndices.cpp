// LeadingIndices.cpp - conditions of a mask as numbers of indices.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/LeadingIndices.h"
#include "plan/TileProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::cpu {

Value LeadingIndices::of(Value mask, unsigned dim, OpBuilder &builder) {
  int64_t size = codegen::tileType(mask).getDimSize(dim);
  for (const codegen::MaskConjunct &conjunct :
       codegen::conjunctsOf(mask, forms)) {
    if (conjunct.dependsOn != codegen::DimSet(1) << dim)
      continue;
    for (auto [own, source] : llvm::enumerate(conjunct.map))
      if (source.isAlong(dim) && !source.bits)
        if (auto bound = codegen::intervalOf(conjunct.condition, own, forms))
          if (Value count = below(*bound, size, mask.getLoc(), builder))
            return count;
  }
  return {};
}

Value LeadingIndices::below(const codegen::IntervalBound &bound, int64_t size,
                            Location loc, OpBuilder &builder) {
  if (!bound.isUpper || bound.stride != 1 || !bound.isNarrow)
    return {};
  Value sides[] = {atZero(bound.lhs, builder), atZero(bound.rhs, builder)};
  if (!sides[0] || !sides[1])
    return {};
  auto number = [&](int64_t value) -> Value {
    return builder.create<arith::ConstantIntOp>(loc, value, 64);
  };
  for (Value &side : sides)
    if (!side.getType().isInteger(64))
      side = builder.create<arith::ExtSIOp>(loc, builder.getI64Type(), side);
  Value all = number(size);
  Value count = builder.create<arith::SubIOp>(loc, sides[1], sides[0]);
  if (bound.orEqual)
    count = builder.create<arith::AddIOp>(loc, count, number(1));
  count = builder.create<arith::MinSIOp>(loc, count, all);
  for (const codegen::IntervalBound::Check &check : bound.checks) {
    Value holds = builder.create<arith::CmpIOp>(
        loc,
        check.isUpper ? arith::CmpIPredicate::sle : arith::CmpIPredicate::sge,
        sides[check.side], number(check.limit));
    count = builder.create<arith::SelectOp>(loc, holds, count, all);
  }
  return count;
}

/// The element of `tile` at index 0; null if it is not an expression of ranges,
/// constants and scalars from before.
Value LeadingIndices::atZero(Value value, OpBuilder &builder) {
  if (!isTile(value))
    return dominance.properlyDominates(value, before) ? value : Value();
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  Location loc = op->getLoc();
  if (auto range = dyn_cast<tt::MakeRangeOp>(op))
    return builder.create<arith::ConstantIntOp>(loc, range.getStart(), 32);
  if (isa<tt::SplatOp, tt::ExpandDimsOp, tt::BroadcastOp>(op))
    return atZero(op->getOperand(0), builder);
  Type element = getElementTypeOrSelf(value.getType());
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!splat || !element.isSignlessInteger())
      return {};
    return builder.create<arith::ConstantOp>(
        loc, element, splat.getSplatValue<IntegerAttr>());
  }
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ExtSIOp>(op))
    return {};
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(atZero(operand, builder));
    if (!operands.back())
      return {};
  }
  Operation *scalar = builder.clone(*op);
  scalar->setOperands(operands);
  scalar->getResult(0).setType(element);
  return scalar->getResult(0);
}

} // namespace nereid::cpu
