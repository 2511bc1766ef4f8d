// ScaledSums.cpp - sums that are scaled row by row before a product adds to
// them.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Attention scales what it has summed whenever a larger score was found: `acc =
// acc * alpha[:, None]; acc = tl.dot(p, v, acc)`. The product reads the sums
// anyway, and scales them then.

#include "plan/Planner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
/// A tile that has been multiplied by a factor for each row.
struct ScaledTile {
  Value tile, factors; // null if it is another one
};
} // namespace

/// The tile with one element for each row that `value`, of two dimensions,
/// repeats along its rows; null if it is not such a tile.
static Value rowFactorsIn(Value value) {
  auto broadcast = value.getDefiningOp<tt::BroadcastOp>();
  if (!broadcast)
    return {};
  auto expand = broadcast.getSrc().getDefiningOp<tt::ExpandDimsOp>();
  if (!expand || expand.getAxis() != 1 || codegen::rankOf(expand.getSrc()) != 1)
    return {};
  return expand.getSrc();
}

/// What the sums of `dot`, f32, are before the products are added.
static ScaledTile scaledSumsOf(tt::DotOp dot) {
  auto product = dot.getC().getDefiningOp<arith::MulFOp>();
  if (!product || codegen::rankOf(product) != 2 ||
      !getElementTypeOrSelf(product.getType()).isF32())
    return {};
  if (Value factors = rowFactorsIn(product.getRhs()))
    return {product.getLhs(), factors};
  return {product.getRhs(), rowFactorsIn(product.getLhs())};
}

/// Keeps the factors of sums that a loop carries: many expressions are cheaper
/// to compute in vectors of rows.
void Planner::materializeRowFactors(tt::DotOp dot) {
  auto [sums, factors] = scaledSumsOf(dot);
  auto argument = dyn_cast_or_null<BlockArgument>(sums);
  if (!argument || argument.getOwner() != dot->getBlock() || !factors ||
      !options.fastPaths.has(FastPath::DotScaled))
    return;
  Operation *op = factors.getDefiningOp();
  if (op && isTileExpression(op) && !isIndexFunction(factors))
    toMaterialize.insert(factors);
}

/// Lets products scale the sums that are materialized for nothing else.
void Planner::scaleSums() {
  if (!options.fastPaths.has(FastPath::DotScaled))
    return;
  for (auto &[block, plan] : program->blocks)
    for (size_t number = 1; number < plan.steps.size(); ++number) {
      Step &step = plan.steps[number], &before = plan.steps[number - 1];
      if (step.kind != StepKind::Dot || before.kind != StepKind::Nest)
        continue;
      auto dot = cast<tt::DotOp>(step.op);
      Buffer *buffer = program->materialized.lookup(dot.getResult());
      Inner &inner = before.nest->inners.front();
      if (before.nest->inners.size() != 1 || inner.roots.size() != 1 ||
          inner.roots.front().kind != RootKind::Materialize ||
          inner.roots.front().target != buffer ||
          inner.roots.front().value != dot.getC())
        continue;
      auto [sums, factors] = scaledSumsOf(dot);
      if (factors && program->materialized.lookup(factors) &&
          program->carried.lookup(sums).current == buffer) {
        program->dots[dot].rowFactors = factors;
        inner.roots.clear();
      }
    }
}

} // namespace nereid::cpu
