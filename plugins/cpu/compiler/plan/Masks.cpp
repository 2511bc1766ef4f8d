// Masks.cpp - which masks of a nest become intervals of its vector axis.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/Masks.h"

#include "plan/Reads.h"
#include "tile/ConstantWhere.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::ConditionAt;
using codegen::MaskedAccess;

static MaskedAccess accessOf(tt::StoreOp store, unsigned rank) {
  return {store.getPtr(), store.getMask(), codegen::identityMap(rank)};
}

/// True if `root` has no effect where `condition` is false.
static bool isInactive(const Root &root, const ConditionAt &condition,
                       unsigned rank, codegen::TileForms &forms) {
  if (auto store = dyn_cast_or_null<tt::StoreOp>(root.op))
    return codegen::isConjunctOf(condition, accessOf(store, rank), forms);
  return root.leftOut &&
         codegen::constantWhere(root.op->getOperand(0), condition, forms) ==
             root.leftOut;
}

static codegen::MaskPlan planOf(const Inner &inner, const Nest &nest,
                                const TileProgram &program,
                                const llvm::DenseSet<Value> &written,
                                codegen::TileForms &forms) {
  unsigned rank = nest.shape.size();
  bool isStrip =
      nest.reduceAxis >= 0 && nest.reduceAxis != int(nest.vectorAxis);
  // Values that the nest writes are not available before its loops.
  auto isReady = [&](Value value) {
    return written.empty() ||
           llvm::none_of(readsOf(value, program).materialized,
                         [&](const TileRead &read) {
                           return written.contains(read.value);
                         });
  };
  codegen::MaskPlanner planner(nest.vectorAxis, forms, isReady);
  auto add = [&](const MaskedAccess &access) {
    planner.addConditions(access);
    if (!isStrip && nest.lanes > 1)
      planner.addWraps(access);
  };
  for (const Root &root : inner.roots) {
    for (const TileRead &read : readsOf(root, program).loads) {
      auto load = read.value.getDefiningOp<tt::LoadOp>();
      add({load.getPtr(), load.getMask(), read.map});
    }
    if (auto store = dyn_cast_or_null<tt::StoreOp>(root.op))
      add(accessOf(store, rank));
  }
  if (isStrip) {
    // One range for all rows that are reduced.
    planner.dropIf([&](const codegen::PlannedCondition &condition) {
      return !condition.bound ||
             llvm::any_of(condition.map, [&](codegen::IndexSource source) {
               return source.isAlong(nest.reduceAxis);
             });
    });
    return planner.take();
  }
  planner.setActive([&](const ConditionAt &condition) {
    return llvm::all_of(inner.roots, [&](const Root &root) {
      return isInactive(root, condition, rank, forms);
    });
  });
  return planner.take();
}

void planMasks(TileProgram &program, codegen::TileForms &forms) {
  for (auto &[block, plan] : program.blocks)
    for (Step &step : plan.steps) {
      if (step.kind != StepKind::Nest)
        continue;
      Nest &nest = *step.nest;
      llvm::DenseSet<Value> written;
      for (const Inner &inner : nest.inners)
        for (const Root &root : inner.roots)
          if (root.kind == RootKind::Materialize)
            written.insert(root.value);
      for (Inner &inner : nest.inners)
        if (!inner.roots.empty() &&
            inner.roots.front().kind != RootKind::Serial &&
            inner.roots.front().kind != RootKind::Scan)
          inner.masks = planOf(inner, nest, program, written, forms);
    }
}

} // namespace nereid::cpu
