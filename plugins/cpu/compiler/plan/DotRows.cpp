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

#include "plan/MaskedRows.h"
#include "plan/Planner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
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
    if (llvm::is_contained(masks, Value()))
      return {};
    OpBuilder builder(first);
    MaskedRowsFinder finder(first, dot.getLoc(), dot.getType().getDimSize(0),
                            forms, known);
    Value most;
    for (Value mask : masks) {
      auto [rows, left, areCounted] = finder.rowsOf(mask);
      if (!rows)
        return {};
      rowsLeft = left;
      hasCounts |= areCounted;
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

  /// After limit(): RowLimits::isCounted.
  bool isCounted() const { return hasCounts; }

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
  bool hasCounts = false;
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
    limits.isCounted = limiter.isCounted();
    if (limits.end)
      rowLimits[dot] = limits;
  }
}

} // namespace nereid::cpu
