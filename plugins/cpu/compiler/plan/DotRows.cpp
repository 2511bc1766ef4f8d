// DotRows.cpp - rows of a dot's sums that no store needs.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile of a skinny product, or the last one of a matrix, has rows that the
// masks of all stores leave out, and so does a part of a program
// (RowParts.cpp). They need not be multiplied: how many rows are needed is
// computed before the loop, as masks become bounds in nests.

#include "plan/LeadingIndices.h"
#include "plan/Planner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
/// The stores of what is computed row by row from the sums of a dot.
class SumStores {
public:
  explicit SumStores(tt::DotOp dot) : dot(dot), first(dot) {}

  /// False if the sums have another use.
  bool find() {
    return dot.getType().getRank() == 2 && followUses(dot.getResult()) &&
           !masks.empty();
  }

  /// The number of leading rows that the masks leave, an i64 before the dot or
  /// its loop; null if all may be needed.
  Value limit(codegen::TileForms &forms) {
    OpBuilder builder(first);
    LeadingIndices rows(first, forms);
    Value most;
    for (Value mask : masks) {
      Value count = mask ? rows.of(mask, 0, builder) : Value();
      if (!count)
        return {};
      most = most ? builder.create<arith::MaxSIOp>(dot.getLoc(), most, count)
                        .getResult()
                  : count;
    }
    return most;
  }

  /// The dot, or the loop that carries its sums.
  Operation *start() const { return first; }

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

  tt::DotOp dot;
  Operation *first;
  SmallVector<Value, 2> masks; // null: none
};
} // namespace

bool isOnlyStored(tt::DotOp dot) { return SumStores(dot).find(); }

void Planner::limitDotRows() {
  if (!options.fastPaths.has(FastPath::DotRows))
    return;
  SmallVector<tt::DotOp> dots;
  function.walk([&](tt::DotOp dot) { dots.push_back(dot); });
  for (tt::DotOp dot : dots) {
    SumStores stores(dot);
    if (!stores.find())
      continue;
    Value masked = stores.limit(forms);
    RowLimits limits{{}, masked};
    if (parts) {
      OpBuilder builder(stores.start());
      auto widen = [&](Value row) -> Value {
        return builder.create<arith::ExtSIOp>(dot.getLoc(),
                                              builder.getI64Type(), row);
      };
      limits = {widen(parts->first), widen(parts->end)};
      if (masked)
        limits.end =
            builder.create<arith::MinSIOp>(dot.getLoc(), masked, limits.end);
    }
    if (limits.end)
      rowLimits[dot] = limits;
  }
}

} // namespace nereid::cpu
