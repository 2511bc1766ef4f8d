// DotRows.cpp - rows of a dot's sums that no store needs.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile of a skinny product, or the last one of a matrix, has rows that the
// masks of all stores leave out, and so has a part of a program (RowParts.cpp).
// They need not be multiplied: how many rows are needed is computed before the
// loop, as masks become bounds in nests.

#include "analysis/MaskIntervals.h"
#include "plan/Planner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
class RowLimiter {
public:
  RowLimiter(tt::DotOp dot, codegen::TileForms &forms)
      : dot(dot), forms(forms), first(dot) {}

  /// Finds the stores of the sums; false if they have another use.
  bool findStores() {
    return dot.getType().getRank() == 2 && followUses(dot.getResult()) &&
           !masks.empty();
  }

  /// The number of leading rows that stores need, an i64 before the dot or its
  /// loop; null if all may be needed.
  Value limit() {
    OpBuilder builder(first);
    Value most;
    for (Value mask : masks) {
      Value rows = mask ? rowsOf(mask, builder) : Value();
      if (!rows)
        return {};
      most = most ? builder.create<arith::MaxSIOp>(dot.getLoc(), most, rows)
                        .getResult()
                  : rows;
    }
    return most;
  }

  /// After limit(): RowLimits::left.
  Value left() const { return masks.size() == 1 ? rowsLeft : Value(); }

  /// Those of `parts` that are needed: an i64 before the dot or its loop.
  RowLimits limit(const RowParts &parts) {
    Value masked = limit();
    OpBuilder builder(first);
    Location loc = dot.getLoc();
    auto widen = [&](Value row) -> Value {
      return builder.create<arith::ExtSIOp>(loc, builder.getI64Type(), row);
    };
    RowLimits limits{widen(parts.first), widen(parts.end)};
    if (masked)
      limits.end = builder.create<arith::MinSIOp>(loc, masked, limits.end);
    return limits;
  }

private:
  /// Collects the masks of the stores of `tile` and what is computed from it
  /// row by row. False if there is another use.
  bool followUses(Value tile) {
    return llvm::all_of(tile.getUses(), [&](OpOperand &use) {
      Operation *op = use.getOwner();
      if (auto store = dyn_cast<tt::StoreOp>(op)) {
        masks.push_back(store.getMask());
        return store.getValue() == tile && store.getMask() != tile;
      }
      if (isa<scf::YieldOp>(op))
        return followLoop(use);
      return op->hasTrait<OpTrait::Elementwise>() && isPure(op) &&
             op->getNumResults() == 1 && followUses(op->getResult(0));
    });
  }

  /// Only the dot may use what a loop carries.
  bool followLoop(OpOperand &use) {
    auto loop = dyn_cast<scf::ForOp>(use.getOwner()->getParentOp());
    if (!loop || use.get() != dot.getResult() ||
        dot->getBlock() != loop.getBody())
      return false;
    BlockArgument carried = loop.getRegionIterArg(use.getOperandNumber());
    if (!carried.hasOneUse() || dot.getC() != carried)
      return false;
    first = loop;
    return followUses(loop.getResult(use.getOperandNumber()));
  }

  /// The number of rows in which `mask` may be true: that of its condition that
  /// depends on the row alone and is true up to a bound.
  Value rowsOf(Value mask, OpBuilder &builder) {
    for (const codegen::MaskConjunct &conjunct :
         codegen::conjunctsOf(mask, forms)) {
      if (conjunct.dependsOn != 1)
        continue;
      for (auto [dim, source] : llvm::enumerate(conjunct.map))
        if (source.isAlong(0) && !source.bits)
          if (auto bound = codegen::intervalOf(conjunct.condition, dim, forms))
            if (Value rows = rowsBelow(*bound, builder))
              return rows;
    }
    return {};
  }

  Value rowsBelow(const codegen::IntervalBound &bound, OpBuilder &builder) {
    if (!bound.isUpper || bound.stride != 1 || !bound.isNarrow)
      return {};
    Location loc = dot.getLoc();
    Value sides[] = {atZero(bound.lhs, builder), atZero(bound.rhs, builder)};
    if (!sides[0] || !sides[1])
      return {};
    auto number = [&](int64_t value) -> Value {
      return builder.create<arith::ConstantIntOp>(loc, value, 64);
    };
    for (Value &side : sides)
      if (!side.getType().isInteger(64))
        side = builder.create<arith::ExtSIOp>(loc, builder.getI64Type(), side);
    Value all = number(dot.getType().getDimSize(0));
    Value rows = builder.create<arith::SubIOp>(loc, sides[1], sides[0]);
    if (bound.orEqual)
      rows = builder.create<arith::AddIOp>(loc, rows, number(1));
    rowsLeft = rows;
    rows = builder.create<arith::MinSIOp>(loc, rows, all);
    for (const codegen::IntervalBound::Check &check : bound.checks) {
      Value holds = builder.create<arith::CmpIOp>(
          loc,
          check.isUpper ? arith::CmpIPredicate::sle : arith::CmpIPredicate::sge,
          sides[check.side], number(check.limit));
      rows = builder.create<arith::SelectOp>(loc, holds, rows, all);
    }
    return rows;
  }

  /// The element of `tile` at index 0, computed before `first`; null if it is
  /// not an expression of ranges, constants and scalars from there.
  Value atZero(Value value, OpBuilder &builder) {
    if (!isTile(value))
      return dominance.properlyDominates(value, first) ? value : Value();
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

  tt::DotOp dot;
  codegen::TileForms &forms;
  Operation *first;            // the dot, or the loop that carries its sums
  SmallVector<Value, 2> masks; // null: none
  Value rowsLeft;
  DominanceInfo dominance;
};
} // namespace

bool isOnlyStored(tt::DotOp dot, codegen::TileForms &forms) {
  return RowLimiter(dot, forms).findStores();
}

void Planner::limitDotRows() {
  if (!options.fastPaths.has(FastPath::DotRows))
    return;
  SmallVector<tt::DotOp> dots;
  function.walk([&](tt::DotOp dot) { dots.push_back(dot); });
  for (tt::DotOp dot : dots) {
    RowLimiter limiter(dot, forms);
    if (!limiter.findStores())
      continue;
    RowLimits limits =
        parts ? limiter.limit(*parts) : RowLimits{{}, limiter.limit()};
    limits.left = limiter.left();
    if (limits.end)
      rowLimits[dot] = limits;
  }
}

} // namespace nereid::cpu
