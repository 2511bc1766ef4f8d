// DotTypes.cpp - operand types of dots, and the rewrites to them.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/DotTypes.h"

#include "nereid/codegen/DotTypes.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::DotTypes;

static constexpr llvm::StringLiteral kTransposed = "nereid.transposed";

void markTransposed(tt::DotOp dot, bool left, bool right) {
  dot->setAttr(kTransposed,
               DenseBoolArrayAttr::get(dot.getContext(), {left, right}));
}

DotOperand operandOf(tt::DotOp dot, unsigned side) {
  DotOperand operand{dot->getOperand(side)};
  auto marks = dot->getAttrOfType<DenseBoolArrayAttr>(kTransposed);
  operand.isTransposed = marks && marks[side];
  if (operand.isTransposed)
    operand.value = operand.value.getDefiningOp<tt::TransOp>().getSrc();
  return operand;
}

/// The fastest kind of multiplication for these element types.
static DotKind kindFor(tt::DotOp dot, Type factor, Type sum,
                       const GenerateOptions &options) {
  const CpuModel &cpu = options.cpu;
  if (!options.fastPaths.has(FastPath::DotKernel))
    return DotKind::Elements;
  ArrayRef<int64_t> shape = dot.getB().getType().getShape();
  int64_t depth = shape[shape.size() - 2];
  // Instructions on pairs and tiles add products in an order of their own.
  bool isBf16 = factor.isBF16() && sum.isF32() && options.reassociate;
  bool isBytes = factor.isInteger(8) && sum.isInteger(32);
  if (options.fastPaths.has(FastPath::DotTiles) &&
      ((isBf16 && depth % 2 == 0 && cpu.hasBf16Tiles) ||
       (isBytes && depth % 4 == 0 && cpu.hasI8Tiles)))
    return DotKind::Tiles;
  constexpr int64_t kFewestLanes = 4;
  if (options.fastPaths.has(FastPath::DotPairs) && isBf16 && depth % 2 == 0 &&
      shape.back() >= kFewestLanes && cpu.hasFastBf16Pairs)
    return DotKind::Pairs;
  return DotKind::Elements;
}

static DotBlock blockFor(int64_t rows, int64_t columns, unsigned sumBits,
                         const GenerateOptions &options) {
  DotBlock block;
  if (!options.fastPaths.has(FastPath::DotKernel))
    return block;
  const CpuModel &cpu = options.cpu;
  block.lanes = std::min<int64_t>(columns, cpu.vectorBits / sumBits);
  block.vectors = std::min(columns / block.lanes, cpu.dotVectors);
  block.rows = std::min(
      rows, std::max(cpu.dotRows, CpuModel::kFewestSums / block.vectors));
  return block;
}

DotPlan planProduct(tt::DotOp dot, const GenerateOptions &options) {
  auto sums = dot.getType();
  auto left = dot.getA().getType();
  int64_t rows = sums.getShape()[sums.getRank() - 2];
  int64_t columns = sums.getShape().back(), depth = left.getShape().back();
  unsigned bits = left.getElementTypeBitWidth();
  DotPlan plan;
  plan.left = operandOf(dot, 0);
  plan.right = operandOf(dot, 1);
  plan.kind =
      kindFor(dot, left.getElementType(), sums.getElementType(), options);
  if (plan.kind == DotKind::Tiles) {
    plan.packing = {std::min(depth, CpuModel::kTileRowBits / bits),
                    std::min(columns, CpuModel::kTileColumns), 32 / bits};
    return plan;
  }
  plan.block = blockFor(rows, columns, sums.getElementTypeBitWidth(), options);
  bool isPaired = plan.kind == DotKind::Pairs;
  plan.packing = {depth, columns, isPaired ? 2 : 1};
  if (isPaired || (options.fastPaths.has(FastPath::DotKernel) &&
                   options.fastPaths.has(FastPath::DotPanels)))
    plan.packing.columns = plan.block.lanes * plan.block.vectors;
  return plan;
}

/// True when bf16 represents every number of `type`.
static bool fitsBf16(Type type) {
  return type.isBF16() || type.isInteger(8) ||
         (isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8);
}

static DotTypes typesFor(tt::DotOp dot, const GenerateOptions &options) {
  constexpr int64_t kExactDepth = 1024;
  Builder builder(dot.getContext());
  RankedTensorType left = dot.getA().getType(), right = dot.getB().getType();
  Type result = dot.getType().getElementType();
  DotTypes types = {result, codegen::dotSumType(dot)};
  auto multipliesAs = [&](Type factor) {
    return kindFor(dot, factor, types.sum, options) != DotKind::Elements;
  };
  if (left.getElementType().isInteger(8)) {
    types.factor = left.getElementType();
    if (multipliesAs(types.factor))
      return types;
    // Sums of bytes start from zero, so that they stay exact.
    types.addsAfterwards = left.getShape().back() <= kExactDepth;
    if (types.addsAfterwards)
      types.sum = builder.getF32Type();
  }
  types.factor = types.sum;
  if (fitsBf16(left.getElementType()) && fitsBf16(right.getElementType()) &&
      multipliesAs(builder.getBF16Type()))
    types.factor = builder.getBF16Type();
  return types;
}

void widenDots(tt::FuncOp kernel, const GenerateOptions &options) {
  codegen::convertDots(kernel,
                       [&](tt::DotOp dot) { return typesFor(dot, options); });
}

} // namespace nereid::cpu
