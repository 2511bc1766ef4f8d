// DotResults.cpp - what the sums of a deferred dot are stored to.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/Planner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::cpu {

/// The only store between `loop` and the next one.
static tt::StoreOp storeAfter(scf::ForOp loop) {
  tt::StoreOp store;
  for (Operation *op = loop->getNextNode();
       op && !isa<scf::ForOp, scf::WhileOp>(op); op = op->getNextNode())
    if (auto next = dyn_cast<tt::StoreOp>(op)) {
      if (store)
        return {};
      store = next;
    }
  return store;
}

bool Planner::isKnownBefore(Value value, scf::ForOp loop) const {
  Operation *op = value.getDefiningOp();
  return !op || order.lookup(op) < order.lookup(loop);
}

/// Lets the only deferred dot prefetch, in the last iterations, what its sums
/// are stored to: a store waits for lines that it misses, and a tile has more
/// of them than a processor has buffers for such stores. If it can be, the
/// store is made by the dot.
void Planner::planResult(scf::ForOp loop, DeferredDots &deferred) {
  tt::DotOp dot = deferred.dots.front();
  tt::StoreOp store = storeAfter(loop);
  if (!store || codegen::rankOf(store.getValue()) != 2 ||
      codegen::tileType(store.getValue()).getShape() !=
          dot.getType().getShape())
    return;
  const codegen::TileForm *found = forms.of(store.getPtr());
  auto isKnown = [&](const codegen::Polynomial &value) {
    return llvm::all_of(value.terms(), [&](const codegen::Monomial &monomial) {
      return llvm::all_of(monomial.factors, [&](Value factor) {
        return isKnownBefore(factor, loop);
      });
    });
  };
  if (!found || !found->isAffine() || !isKnownBefore(found->pointer, loop) ||
      found->strides[1].constant() != 1 || !isKnown(found->base) ||
      !isKnown(found->strides[0]))
    return;
  if (options.fastPaths.has(FastPath::DotPrefetch))
    deferred.prefetches.push_back({dot, Prefetch::Use::Result, store.getValue(),
                                   *found, codegen::Polynomial(), 0});
  if (options.fastPaths.has(FastPath::DotStores))
    deferred.store = planStore(store, loop, dot);
}

/// Is what `store` stores `sums`, or computed from them and constants by a few
/// operations of arithmetic, and are `sums` not used otherwise?
bool Planner::isComputedFrom(Value sums, tt::StoreOp store) const {
  constexpr size_t kMostOps = 8; // for each vector of sums in registers
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> work = {store.getValue()};
  if (getElementTypeOrSelf(store.getValue()).isInteger(1))
    return false; // bytes in memory
  while (!work.empty()) {
    Value value = work.pop_back_val();
    DenseElementsAttr constant;
    if (value == sums ||
        (matchPattern(value, m_Constant(&constant)) && constant.isSplat()))
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || !isTile(value) || program->isMaterialized(value) ||
        op->getBlock() != store->getBlock() ||
        !isa<arith::ArithDialect>(op->getDialect()) ||
        !op->hasTrait<OpTrait::Elementwise>() || !isPure(op) ||
        op->getNumResults() != 1)
      return false;
    if (ops.insert(op))
      llvm::append_range(work, op->getOperands());
    if (ops.size() > kMostOps)
      return false;
  }
  auto isOnlyStored = [&](Value value) {
    return llvm::all_of(value.getUses(), [&](OpOperand &use) {
      return ops.contains(use.getOwner()) || &use == &store.getValueMutable();
    });
  };
  return isOnlyStored(sums) && llvm::all_of(ops, [&](Operation *op) {
           return isOnlyStored(op->getResult(0));
         });
}

/// The store of what `loop` carries for `dot`, if nothing else uses that and
/// the loop's end may make it: all that it depends on is known before the loop,
/// and no step between is one that could tell.
std::optional<SumStore> Planner::planStore(tt::StoreOp store, scf::ForOp loop,
                                           tt::DotOp dot) {
  auto sums = cast<BlockArgument>(dot.getC());
  Value result = loop.getTiedLoopResult(sums);
  if (store->getBlock() != loop->getBlock() || !isComputedFrom(result, store))
    return std::nullopt;
  auto &steps = program->blocks[loop->getBlock()].steps;
  auto it =
      llvm::find_if(steps, [&](const Step &step) { return step.op == loop; });
  do {
    if (++it == steps.end())
      return std::nullopt;
  } while (it->kind == StepKind::Op && isMemoryEffectFree(it->op));
  const Nest *nest = it->kind == StepKind::Nest ? it->nest.get() : nullptr;
  if (!nest || !nest->guards.empty() || nest->inners.size() != 1 ||
      nest->inners.front().roots.size() != 1 ||
      nest->inners.front().roots.front().op != store)
    return std::nullopt;
  SumStore plan{store.getValue(),
                result,
                unsigned(program->deferredDots.size()),
                nest,
                *forms.of(store.getPtr()),
                {}};
  auto isKnown = [&](Value value) { return isKnownBefore(value, loop); };
  if (Value mask = store.getMask()) {
    RootReads reads = readsOf(mask, *program);
    if (!reads.loads.empty() || !llvm::all_of(reads.scalars, isKnown) ||
        !llvm::all_of(reads.materialized, [&](const TileRead &read) {
          return isKnown(read.value);
        }))
      return std::nullopt;
  }
  auto conditions = conditionsOf(store.getMask(), forms);
  if (!conditions)
    return std::nullopt;
  plan.conditions = std::move(*conditions);
  return plan;
}

} // namespace nereid::cpu
