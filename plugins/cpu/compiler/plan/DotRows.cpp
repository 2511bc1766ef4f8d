// DotRows.cpp - rows of a dot's sums that no store needs.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile of a skinny product, or the last one of a matrix, has rows that the
// masks of all stores leave out, and so has a part of a program (RowParts.cpp).
// They need not be multiplied: how many rows are needed is computed before the
// loop, as masks become bounds in nests.
//
// What is computed from the sums row by row may be between them and a store. In
// attention it is all that follows, up to the result of another dot, and a
// block of queries is often padded: of the 16 rows of a decoding kernel, only
// the heads that share keys are stored.

#include "analysis/MaskIntervals.h"
#include "plan/Planner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
/// The number of leading rows in which a mask may be true, an i64, and
/// RowLimits::left; null: not known.
struct MaskedRows {
  Value rows, left;
  bool dependOnMemory = false;
};
/// Those that are computed.
using KnownRows = llvm::DenseMap<Value, MaskedRows>;

class RowLimiter {
public:
  RowLimiter(tt::DotOp dot, codegen::TileForms &forms, KnownRows &known)
      : dot(dot), forms(forms), known(known), first(dot) {}

  /// Finds the stores of the sums and of what is computed from them row by row;
  /// false if they have another use.
  bool findStores() {
    return dot.getType().getRank() == 2 && followUses(dot.getResult()) &&
           !masks.empty();
  }

  /// After findStores(): are the sums themselves stored, or what is computed
  /// from them element by element?
  bool storesSums() const { return !hasRowUses; }

  /// The number of leading rows that stores need, an i64 before the dot or its
  /// loop; null if all may be needed.
  Value limit() {
    OpBuilder builder(first);
    Value most;
    for (Value mask : masks) {
      auto [rows, left, dependOnMemory] =
          mask ? rowsOf(mask, builder) : MaskedRows();
      if (!rows)
        return {};
      rowsLeft = left;
      isFromMemory |= dependOnMemory;
      most = most ? builder.create<arith::MaxSIOp>(dot.getLoc(), most, rows)
                        .getResult()
                  : rows;
    }
    return most;
  }

  /// After limit(): RowLimits::left.
  Value left() const {
    return masks.size() == 1 && storesSums() ? rowsLeft : Value();
  }

  /// After limit(): RowLimits::isFromMemory.
  bool dependsOnMemory() const { return isFromMemory; }

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
  /// Collects the masks of the stores of `tile`, whose first dimension is that
  /// of the rows, and of what is computed from it row by row. False if there is
  /// another use.
  bool followUses(Value tile) {
    return !seen.insert(tile).second ||
           llvm::all_of(tile.getUses(),
                        [&](OpOperand &use) { return followUse(use); });
  }

  bool followUse(OpOperand &use) {
    Operation *op = use.getOwner();
    unsigned number = use.getOperandNumber();
    if (auto store = dyn_cast<tt::StoreOp>(op)) {
      masks.push_back(store.getMask());
      return store.getValue() == use.get() && store.getMask() != use.get();
    }
    if (op->hasTrait<OpTrait::Elementwise>() && isPure(op))
      return followResults(op);
    if (isa<scf::YieldOp>(op)) {
      if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
        return followLoop(loop, number, use.get() == dot.getResult());
      hasRowUses = true;
      auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
      return branch && followUses(branch.getResult(number));
    }
    hasRowUses |= op != dot;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return followLoop(loop, loop.getTiedLoopResult(&use).getResultNumber(),
                        /*isSum=*/false);
    if (auto next = dyn_cast<tt::DotOp>(op))
      return number != 1 && next.getType().getRank() == 2 && followResults(op);
    if (auto reduce = dyn_cast<tt::ReduceOp>(op))
      return reduce.getAxis() == 1 && codegen::rankOf(use.get()) == 2 &&
             isStraightLine(reduce.getCombineOp()) && followResults(op);
    if (auto expand = dyn_cast<tt::ExpandDimsOp>(op))
      return expand.getAxis() == 1 && codegen::rankOf(use.get()) == 1 &&
             followResults(op);
    if (auto broadcast = dyn_cast<tt::BroadcastOp>(op))
      return broadcast.getSrc().getType().getDimSize(0) ==
                 broadcast.getType().getDimSize(0) &&
             followResults(op);
    return false;
  }

  bool followResults(Operation *op) {
    return llvm::all_of(op->getResults(),
                        [&](Value result) { return followUses(result); });
  }

  /// Follows what `loop` carries. Of the dot's sums, in its own loop, it is
  /// what the dot adds to.
  bool followLoop(scf::ForOp loop, unsigned number, bool isSum) {
    BlockArgument carried = loop.getRegionIterArg(number);
    hasRowUses |= !isSum || !carried.hasOneUse() || dot.getC() != carried ||
                  dot->getBlock() != loop.getBody();
    if (loop->isProperAncestor(first))
      first = loop;
    return followUses(carried) && followUses(loop.getResult(number));
  }

  /// The rows of `mask`: those of its condition that depends on the row alone
  /// and is true up to a bound.
  MaskedRows rowsOf(Value mask, OpBuilder &builder) {
    MaskedRows &rows = known[mask];
    if (!rows.rows || !dominance.properlyDominates(rows.rows, first))
      rows = computeRowsOf(mask, builder);
    return rows;
  }

  MaskedRows computeRowsOf(Value mask, OpBuilder &builder) {
    Value
        other; // a condition of rows that is not known to be true up to a bound
    for (const codegen::MaskConjunct &conjunct :
         codegen::conjunctsOf(mask, forms)) {
      if (conjunct.dependsOn != 1)
        continue;
      for (auto [dim, source] : llvm::enumerate(conjunct.map)) {
        if (!source.isAlong(0) || source.bits)
          continue;
        if (auto bound = codegen::intervalOf(conjunct.condition, dim, forms))
          if (MaskedRows rows = rowsBelow(*bound, builder); rows.rows)
            return rows;
        if (codegen::rankOf(conjunct.condition) == 1 &&
            dominance.properlyDominates(conjunct.condition, first))
          other = conjunct.condition;
      }
    }
    if (other)
      return {rowsUpToLast(other, builder), {}, true};
    return {};
  }

  /// The number of the last row for which `condition` is true, counted from 1,
  /// 0 if there is none: of a block of tokens that are sorted by expert, the
  /// last rows are of no token, whose number is in memory.
  Value rowsUpToLast(Value condition, OpBuilder &builder) {
    Location loc = dot.getLoc();
    auto rows = cast<RankedTensorType>(condition.getType());
    auto type = RankedTensorType::get(rows.getShape(), builder.getI32Type());
    Value numbers = builder.create<tt::MakeRangeOp>(
        loc, type, 1, uint32_t(rows.getDimSize(0) + 1));
    Value none = builder.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(type, builder.getI32IntegerAttr(0)));
    Value number =
        builder.create<arith::SelectOp>(loc, condition, numbers, none);
    auto last = builder.create<tt::ReduceOp>(
        loc, TypeRange(builder.getI32Type()), ValueRange(number), 0);
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

  MaskedRows rowsBelow(const codegen::IntervalBound &bound,
                       OpBuilder &builder) {
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
  KnownRows &known;
  /// The dot, or the outermost loop around it that carries its sums or what is
  /// computed from them: the limit is computed before it.
  Operation *first;
  llvm::DenseSet<Value> seen;
  bool hasRowUses = false;     // others than those of element-wise operations
  SmallVector<Value, 2> masks; // null: none
  Value rowsLeft;
  bool isFromMemory = false;
  DominanceInfo dominance;
};
} // namespace

bool isOnlyStored(tt::DotOp dot, codegen::TileForms &forms) {
  KnownRows known;
  RowLimiter limiter(dot, forms, known);
  return limiter.findStores() && limiter.storesSums();
}

void Planner::limitDotRows() {
  if (!options.fastPaths.has(FastPath::DotRows))
    return;
  SmallVector<tt::DotOp> dots;
  function.walk([&](tt::DotOp dot) { dots.push_back(dot); });
  KnownRows known;
  for (tt::DotOp dot : dots) {
    RowLimiter limiter(dot, forms, known);
    if (!limiter.findStores() || (parts && !limiter.storesSums()))
      continue;
    RowLimits limits =
        parts ? limiter.limit(*parts) : RowLimits{{}, limiter.limit()};
    limits.left = limiter.left();
    limits.isFromMemory = limiter.dependsOnMemory();
    if (limits.end)
      rowLimits[dot] = limits;
  }
}

} // namespace nereid::cpu
