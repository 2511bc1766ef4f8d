// MaskedRows.cpp - the leading rows in which a mask may be true.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/MaskedRows.h"
#include "plan/TileProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::cpu {

MaskedRows MaskedRowsFinder::rowsOf(Value mask) {
  MaskedRows &rows = known[mask];
  if (!rows.rows || !dominance.properlyDominates(rows.rows, first))
    rows = computeRowsOf(mask);
  return rows;
}

MaskedRows MaskedRowsFinder::computeRowsOf(Value mask) {
  Value other; // a condition of rows without a bound
  for (const codegen::MaskConjunct &conjunct :
       codegen::conjunctsOf(mask, forms)) {
    if (conjunct.dependsOn != 1)
      continue;
    for (auto [dim, source] : llvm::enumerate(conjunct.map)) {
      if (!source.isAlong(0) || source.bits)
        continue;
      if (auto bound = codegen::intervalOf(conjunct.condition, dim, forms))
        if (MaskedRows rows = rowsBelow(*bound); rows.rows)
          return rows;
      if (codegen::rankOf(conjunct.condition) == 1 &&
          dominance.properlyDominates(conjunct.condition, first))
        other = conjunct.condition;
    }
  }
  if (other)
    return {rowsUpToLast(other), {}, true};
  return {};
}

/// The number of the last row for which `condition` is true, counted from 1,
/// 0 if there is none: of a block of tokens that are sorted by expert, the
/// last rows are of no token, whose number is in memory.
Value MaskedRowsFinder::rowsUpToLast(Value condition) {
  auto rows = cast<RankedTensorType>(condition.getType());
  auto type = RankedTensorType::get(rows.getShape(), builder.getI32Type());
  Value numbers = builder.create<tt::MakeRangeOp>(
      loc, type, 1, uint32_t(rows.getDimSize(0) + 1));
  Value none = builder.create<arith::ConstantOp>(
      loc, DenseElementsAttr::get(type, builder.getI32IntegerAttr(0)));
  Value number = builder.create<arith::SelectOp>(loc, condition, numbers, none);
  auto last = builder.create<tt::ReduceOp>(loc, TypeRange(builder.getI32Type()),
                                           ValueRange(number), 0);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(
      &last.getCombineOp(), {}, {builder.getI32Type(), builder.getI32Type()},
      {loc, loc});
  Value larger = builder.create<arith::MaxSIOp>(loc, block->getArgument(0),
                                                block->getArgument(1));
  builder.create<tt::ReduceReturnOp>(loc, larger);
  builder.setInsertionPointAfter(last);
  return builder.create<arith::ExtSIOp>(loc, builder.getI64Type(),
                                        last->getResult(0));
}

MaskedRows MaskedRowsFinder::rowsBelow(const codegen::IntervalBound &bound) {
  if (!bound.isUpper || bound.stride != 1 || !bound.isNarrow)
    return {};
  Value sides[] = {atZero(bound.lhs), atZero(bound.rhs)};
  if (!sides[0] || !sides[1])
    return {};
  auto number = [&](int64_t value) -> Value {
    return builder.create<arith::ConstantIntOp>(loc, value, 64);
  };
  for (Value &side : sides)
    if (!side.getType().isInteger(64))
      side = builder.create<arith::ExtSIOp>(loc, builder.getI64Type(), side);
  Value all = number(size);
  Value rows = builder.create<arith::SubIOp>(loc, sides[1], sides[0]);
  if (bound.orEqual)
    rows = builder.create<arith::AddIOp>(loc, rows, number(1));
  Value left = rows;
  rows = builder.create<arith::MinSIOp>(loc, rows, all);
  for (const codegen::IntervalBound::Check &check : bound.checks) {
    Value holds = builder.create<arith::CmpIOp>(
        loc,
        check.isUpper ? arith::CmpIPredicate::sle : arith::CmpIPredicate::sge,
        sides[check.side], number(check.limit));
    rows = builder.create<arith::SelectOp>(loc, holds, rows, all);
  }
  return {rows, left};
}

/// The element of `tile` at index 0, computed before `first`; null if it is
/// not an expression of ranges, constants and scalars from there.
Value MaskedRowsFinder::atZero(Value value) {
  if (!isTile(value))
    return dominance.properlyDominates(value, first) ? value : Value();
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  Location loc = op->getLoc();
  if (auto range = dyn_cast<tt::MakeRangeOp>(op))
    return builder.create<arith::ConstantIntOp>(loc, range.getStart(), 32);
  if (isa<tt::SplatOp, tt::ExpandDimsOp, tt::BroadcastOp>(op))
    return atZero(op->getOperand(0));
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
    operands.push_back(atZero(operand));
    if (!operands.back())
      return {};
  }
  Operation *scalar = builder.clone(*op);
  scalar->setOperands(operands);
  scalar->getResult(0).setType(element);
  return scalar->getResult(0);
}

} // namespace nereid::cpu
