// Shape.cpp - what a function that multiplies tiles depends on.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/dot/Dot.h"

using namespace mlir;

namespace nereid::cpu {

bool isDeferred(const DeferredDots *deferred, const Buffer *buffer) {
  return deferred && buffer && deferred->buffers.contains(buffer);
}

/// The strides of an operand whose elements are single words: those of its
/// buffer. The tile that a loop carries is row-major.
static DotStrides stridesOf(const DotOperand &operand, const Buffer *buffer,
                            bool isRight, bool hasTiles) {
  auto tile = codegen::tileType(operand.value);
  TileLayout layout =
      buffer ? buffer->layout() : TileLayout::rowMajor(tile.getShape());
  unsigned last = tile.getRank() - 1;
  unsigned step = isRight ? last - 1 : last, line = isRight ? last : last - 1;
  if (operand.isTransposed && !operand.packed)
    std::swap(step, line);
  DotStrides strides;
  strides.batch = last == 2 ? layout.strides[0] : 0;
  strides.step = layout.strides[step];
  strides.line =
      layout.panel ? layout.panelStride / layout.panel : layout.strides[line];
  strides.iteration = hasTiles ? buffer->tileStride() : 0;
  return strides;
}

/// Sets the strides of both operands.
static void setStrides(DotShape &shape, const DotPlan &plan,
                       const TileProgram &program,
                       const DeferredDots *deferred) {
  const Buffer *left = program.bufferOf(plan.left);
  const Buffer *right = program.bufferOf(plan.right);
  bool hasLeft = isDeferred(deferred, left);
  bool hasRight = isDeferred(deferred, right);
  if (shape.kind == DotKind::Elements) {
    shape.left = stridesOf(plan.left, left, /*isRight=*/false, hasLeft);
    shape.right = stridesOf(plan.right, right, /*isRight=*/true, hasRight);
    return;
  }
  int64_t together = shape.packing.together, depth = shape.depth / together;
  if (!plan.left.packed) {
    shape.left = stridesOf(plan.left, left, /*isRight=*/false, hasLeft);
    for (int64_t *stride :
         {&shape.left.batch, &shape.left.line, &shape.left.iteration})
      *stride /= together;
  } else {
    shape.left = {shape.rows * depth, depth, 1};
    if (shape.kind == DotKind::Words)
      shape.left = {shape.rows * depth, 1, shape.rows};
    if (hasLeft)
      shape.left.iteration = shape.batches * shape.left.batch;
  }
  depth *= shape.terms;
  shape.right = {depth * shape.columns, depth, shape.packing.columns};
  if (hasRight)
    shape.right.iteration = right->tileStride() / together;
}

DotShape shapeOf(Emitter &emitter, tt::DotOp op) {
  const TileProgram &program = emitter.program;
  auto sums = cast<RankedTensorType>(op.getType());
  auto left = cast<RankedTensorType>(op.getA().getType());
  ArrayRef<int64_t> sizes = sums.getShape();
  const DotPlan &plan = program.dots.at(op);
  const DeferredDots *deferred = program.deferredDotsOf(op);
  DotShape shape;
  shape.kind = plan.kind;
  shape.product = plan.product;
  shape.factor = left.getElementType();
  shape.sum = sums.getElementType();
  shape.batches = sizes.size() == 3 ? sizes[0] : 1;
  shape.rows = sizes[sizes.size() - 2];
  shape.columns = sizes.back();
  shape.depth = left.getShape().back();
  shape.block = plan.block;
  shape.packing = plan.packing;
  shape.terms = plan.terms;
  shape.isLeftTransposed = plan.left.isTransposed;
  shape.isRightTransposed = plan.right.isTransposed;
  if (deferred)
    shape.iterations = deferred->iterations;
  shape.startsAtZero = plan.startsAtZero;
  shape.mayStartAtZero = deferred && deferred->startsAtZero;
  shape.hasRowLimit = bool(plan.rows);
  shape.hasFirstRow = bool(plan.firstRow);
  shape.hasFactors = bool(plan.rowFactors);
  shape.isLeftInPlace =
      deferred && deferred->inPlace[0] && !deferred->inPlace[0]->isExtended;
  if (deferred && deferred->store)
    shape.store = &*deferred->store;
  setStrides(shape, plan, program, deferred);
  shape.prefetches = prefetchShapes(emitter, op);
  return shape;
}

} // namespace nereid::cpu
