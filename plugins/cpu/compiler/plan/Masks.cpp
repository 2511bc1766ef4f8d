// Masks.cpp - which masks of a nest become intervals of its vector axis.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/Masks.h"

#include "plan/PieceLoops.h"
#include "plan/PlainAtomics.h"
#include "plan/Reads.h"
#include "tile/ConstantWhere.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::ConditionAt;
using codegen::MaskedAccess;

/// What `root` writes to, if it does: the access of a store or of an update.
static std::optional<MaskedAccess> writtenBy(const Root &root, unsigned rank) {
  codegen::IndexMap map = codegen::identityMap(rank);
  if (auto store = dyn_cast_or_null<tt::StoreOp>(root.op))
    return MaskedAccess{store.getPtr(), store.getMask(), map};
  if (auto update = dyn_cast_or_null<tt::AtomicRMWOp>(root.op))
    return MaskedAccess{update.getPtr(), update.getMask(), map};
  return std::nullopt;
}

/// True if `root` has no effect where `condition` is false.
static bool isInactive(const Root &root, const ConditionAt &condition,
                       unsigned rank, codegen::TileForms &forms) {
  if (auto access = writtenBy(root, rank))
    return codegen::isConjunctOf(condition, *access, forms);
  return root.leftOut &&
         codegen::constantWhere(root.op->getOperand(0), condition, forms) ==
             root.leftOut;
}

/// Adds the masks of all accesses of `inner` to `planner`, and the divisions in
/// their addresses by `leastDivisor` or more, unless that is 0.
static void addAccesses(codegen::MaskPlanner &planner, const Inner &inner,
                        unsigned rank, int64_t leastDivisor,
                        const TileProgram &program) {
  auto add = [&](const MaskedAccess &access) {
    planner.addConditions(access);
    if (leastDivisor)
      planner.addDivisions(access, leastDivisor);
  };
  for (const Root &root : inner.roots) {
    for (const TileRead &read : readsOf(root, program).loads) {
      auto load = read.value.getDefiningOp<tt::LoadOp>();
      add({load.getPtr(), load.getMask(), read.map});
    }
    if (auto access = writtenBy(root, rank))
      add(*access);
  }
  if (!leastDivisor)
    return;
  codegen::IndexMap map = codegen::identityMap(rank);
  for (const Root &root : inner.roots)
    for (Value value : readsOf(root, program).streamed)
      if (codegen::rankOf(value) == rank)
        planner.addTwin(value, map);
}

/// Is `value` available before the loops of a nest that writes `written`?
static bool isReady(Value value, const TileProgram &program,
                    const llvm::DenseSet<Value> &written) {
  if (written.empty())
    return true;
  RootReads reads = readsOf(value, program);
  return !reads.isOfLoop &&
         llvm::none_of(reads.materialized, [&](const TileRead &read) {
           return written.contains(read.value);
         });
}

/// For vectors of `lanes`. The plan of an atomic update is empty unless its
/// addresses grow by `stride` in each piece.
static codegen::MaskPlan planOf(const Inner &inner, const Nest &nest,
                                int64_t lanes, const TileProgram &program,
                                const llvm::DenseSet<Value> &written,
                                codegen::TileForms &forms,
                                const GenerateOptions &options,
                                int64_t stride = 1) {
  unsigned rank = nest.shape.size();
  bool isStrip =
      nest.reduceAxis >= 0 && nest.reduceAxis != int(nest.vectorAxis);
  auto isKnown = [&](Value value) { return isReady(value, program, written); };
  bool hasPieces = !isStrip && inner.roots.front().kind != RootKind::Scan &&
                   lanes > 1 && options.fastPaths.has(FastPath::Pieces);
  int64_t extent = nest.shape[nest.vectorAxis];
  std::optional<codegen::MaskPlanner> planner;
  auto begin = [&](int64_t leastDivisor) {
    planner.emplace(nest.vectorAxis, forms, isKnown);
    addAccesses(*planner, inner, rank,
                hasPieces ? std::min(leastDivisor, extent) : 0, program);
  };
  // Shorter pieces have few vectors or none.
  bool masksEnds = hasPieces && canMaskLanes(inner, program, options.cpu);
  begin(masksEnds ? lanes * 3 / 4 : 2 * lanes);
  // What is kept in bounds is an operand; what is stored may repeat a short
  // row.
  bool isStored = llvm::any_of(inner.roots, [](const Root &root) {
    return root.kind == RootKind::Store;
  });
  if (masksEnds && !isStored && !planner->endPieces(extent)) {
    masksEnds = false;
    begin(2 * lanes);
  }
  const Root &first = inner.roots.front();
  if (first.kind == RootKind::Serial) {
    auto found = planner->strideInPiece(*writtenBy(first, rank));
    if (!masksEnds || !found || found->constant() != stride)
      return {};
  }
  if (isStrip) {
    // One range for all rows that are reduced.
    planner->dropIf([&](const codegen::PlannedCondition &condition) {
      return !condition.bound ||
             llvm::any_of(condition.map, [&](codegen::IndexSource source) {
               return source.isAlong(nest.reduceAxis);
             });
    });
    return planner->take();
  }
  planner->setActive([&](const ConditionAt &condition) {
    return llvm::all_of(inner.roots, [&](const Root &root) {
      return isInactive(root, condition, rank, forms);
    });
  });
  codegen::MaskPlan plan = planner->take();
  plan.masksEnds = masksEnds && !plan.divisions.empty();
  return plan;
}

/// The conditions of a nest that transposes blocks: those along each axis that
/// do not depend on the other.
static void planBlockMasks(Nest &nest, const TileProgram &program,
                           const llvm::DenseSet<Value> &written,
                           codegen::TileForms &forms) {
  Transposition &blocks = *nest.transposition;
  auto plan = [&](unsigned axis, unsigned other) {
    auto isKnown = [&](Value value) {
      return isReady(value, program, written);
    };
    codegen::MaskPlanner planner(axis, forms, isKnown);
    addAccesses(planner, nest.inners.front(), nest.shape.size(),
                /*leastDivisor=*/0, program);
    planner.dropIf([&](const codegen::PlannedCondition &condition) {
      return codegen::changesAlong(other, condition.condition, condition.map,
                                   forms);
    });
    return planner.take();
  };
  blocks.masksAlongVectors = plan(nest.vectorAxis, blocks.axis);
  blocks.masksAlongAxis = plan(blocks.axis, nest.vectorAxis);
}

/// Does a scan run along the vector axis?
static bool isScanAlongAxis(const Nest &nest) {
  auto scan = cast<tt::ScanOp>(nest.inners.front().roots.front().op);
  return scan.getAxis() == nest.vectorAxis;
}

/// Is only a part of the axis emitted without masks, or in pieces?
static bool dividesAxis(const codegen::MaskPlan &masks) {
  auto isBound = [](const codegen::PlannedCondition &condition) {
    return condition.bound.has_value();
  };
  return !masks.divisions.empty() || llvm::any_of(masks.conditions, isBound);
}

/// Vectors of the update in `nest`: without a lock if its addresses are
/// neighbours in pieces, and of values that are combined if one address has
/// many.
static void planUpdate(Nest &nest, const TileProgram &program,
                       codegen::TileForms &forms,
                       const GenerateOptions &options) {
  Inner &inner = nest.inners.front();
  auto update = dyn_cast<tt::AtomicRMWOp>(inner.roots.front().op);
  if (!update || nest.plainLanes > 1 || program.heldSums.contains(update) ||
      !canUpdateVectors(update, program))
    return;
  unsigned bits =
      getElementTypeOrSelf(update.getVal().getType()).getIntOrFloatBitWidth();
  int64_t lanes = std::min<int64_t>(nest.shape[nest.vectorAxis],
                                    options.cpu.vectorBits / bits);
  auto plan = [&](int64_t stride) {
    inner.masks =
        planOf(inner, nest, lanes, program, {}, forms, options, stride);
    return !inner.masks.divisions.empty();
  };
  if (mayBePlain(update, options) && plan(1)) {
    nest.plainLanes = lanes;
    return;
  }
  if (lanes < 4 || nest.lanes > 1 ||
      !canCombineValues(update, program, options))
    return;
  std::optional<unsigned> runs = plan(0) ? sumsInPieces(inner.masks, lanes)
                                         : runsOf(update, nest, lanes, forms);
  if (!runs)
    return;
  nest.combinesRuns = true;
  nest.plainLanes = lanes;
  inner.unroll = *runs;
}

/// Several rows have no masks in common: they have pieces, or each vector of
/// them evaluates its own mask.
static void planMasksOfLoop(Nest &nest) {
  Inner &inner = nest.inners.front();
  if (inner.rows == 1)
    return;
  if (inner.masks.divisions.empty())
    inner.masks = {};
  else
    inner.rows = 1;
}

void planMasks(TileProgram &program, codegen::TileForms &forms,
               const GenerateOptions &options) {
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
          else if (root.kind == RootKind::Scan)
            written.insert(root.op->result_begin(), root.op->result_end());
      if (nest.transposition)
        planBlockMasks(nest, program, written, forms);
      const Root *first = nest.inners.front().roots.begin();
      if (!nest.inners.front().roots.empty() &&
          first->kind == RootKind::Serial) {
        planUpdate(nest, program, forms, options);
        continue;
      }
      for (Inner &inner : nest.inners)
        if (!inner.roots.empty() && !nest.group &&
            !(inner.roots.front().kind == RootKind::Scan &&
              !isScanAlongAxis(nest)))
          inner.masks =
              planOf(inner, nest, nest.lanes, program, written, forms, options);
      if (nest.elementLoop)
        planMasksOfLoop(nest);
      planRowsInside(nest, forms);
      nest.unrollsRows &= llvm::none_of(nest.inners, [](const Inner &inner) {
        return dividesAxis(inner.masks);
      });
      Inner &whole = nest.inners.front();
      if (nest.inners.size() == 1 && whole.masks.masksEnds &&
          first->kind == RootKind::Reduce)
        whole.unroll =
            std::max(whole.unroll, sumsInPieces(whole.masks, nest.lanes));
    }
}

} // namespace nereid::cpu
