// PieceLoops.cpp - loops over the pieces of an axis, and the loops in them.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/PieceLoops.h"

#include "plan/Reads.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::cpu {

bool canMaskLanes(const Inner &inner, const TileProgram &program,
                  const CpuModel &cpu) {
  auto hasMasked = [&](Value value) {
    return cpu.hasMaskedAccesses(std::max(
        8u, tt::getElementBitWidth(getElementTypeOrSelf(value.getType()))));
  };
  return llvm::all_of(inner.roots, [&](const Root &root) {
    auto store = dyn_cast_or_null<tt::StoreOp>(root.op);
    auto update = dyn_cast_or_null<tt::AtomicRMWOp>(root.op);
    bool isSum = root.kind == RootKind::Reduce &&
                 isStraightLine(root.op->getRegion(0)) &&
                 llvm::all_of(root.op->getOperands(), hasMasked);
    if (root.kind != RootKind::Check && !isSum &&
        !(store && hasMasked(store.getValue())) &&
        !(update && hasMasked(update.getVal())) &&
        !(root.kind == RootKind::Materialize && hasMasked(root.value)))
      return false;
    RootReads reads = readsOf(root, program);
    return llvm::all_of(
               reads.materialized,
               [&](const TileRead &read) { return hasMasked(read.value); }) &&
           llvm::all_of(reads.streamed, [&](Value value) {
             Operation *op = value.getDefiningOp();
             if (isa_and_nonnull<tt::LoadOp>(op))
               return hasMasked(value);
             return op && !isa<tt::ReshapeOp>(op) &&
                    (program.elementLoops.contains(op) ||
                     op->hasTrait<OpTrait::Elementwise>() ||
                     op->hasTrait<OpTrait::ConstantLike>() ||
                     isa<tt::MakeRangeOp>(op) || codegen::isShapeOp(op));
           });
  });
}

unsigned sumsInPieces(const codegen::MaskPlan &masks, int64_t lanes) {
  constexpr unsigned kMost = 4; // hide the latency of additions
  unsigned sums = kMost;
  for (const codegen::PlannedDivision &division : masks.divisions) {
    APInt divisor;
    if (division.grows &&
        matchPattern(division.value.getDefiningOp()->getOperand(1),
                     m_ConstantInt(&divisor)))
      while (sums > 1 && divisor.slt(sums * lanes))
        sums /= 2;
  }
  return sums;
}

void planRowsInside(Nest &nest, codegen::TileForms &forms) {
  constexpr int64_t kMostVectors = 8;
  Inner &inner = nest.inners.front();
  codegen::MaskPlan &masks = inner.masks;
  std::optional<unsigned> row = rowDimOf(nest);
  auto isScratch = [](const Root &root) {
    return root.kind == RootKind::Materialize;
  };
  auto dependsOnRow = [&](Value value, ArrayRef<codegen::IndexSource> map) {
    return codegen::changesAlong(*row, value, map, forms);
  };
  if (!row || nest.inners.size() > 1 || !masks.masksEnds ||
      !masks.constants.empty() || nest.transposition || nest.elementLoop ||
      nest.shape[nest.vectorAxis] > kMostVectors * nest.lanes ||
      !llvm::all_of(inner.roots, isScratch) ||
      llvm::any_of(masks.divisions, [&](const codegen::PlannedDivision &each) {
        return dependsOnRow(each.value, each.map);
      }))
    return;
  nest.hasRowsInside = true;
  llvm::erase_if(masks.conditions, [&](const codegen::PlannedCondition &each) {
    return dependsOnRow(each.condition, each.map);
  });
}

} // namespace nereid::cpu
