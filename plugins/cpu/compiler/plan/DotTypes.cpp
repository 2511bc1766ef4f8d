// DotTypes.cpp - operand types of dots, and the rewrites to them.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/DotTypes.h"

#include "nereid/codegen/DotTypes.h"
#include "nereid/codegen/Expand.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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

/// The depth of `dot`: how many products each sum adds.
static int64_t depthOf(tt::DotOp dot) {
  return dot.getA().getType().getShape().back();
}

/// How many bf16 have each number of type `factor` as their sum; 0: tile
/// registers do not multiply it so. It pays where operands are split for enough
/// products. Three for an f32, with nine products, were 1.1 to 1.3 times as
/// fast as vectors of one thread of an Emerald Rapids, but 0.6 to 0.8 times of
/// two threads of each core.
static int64_t termsOf(tt::DotOp dot, Type factor, Type sum,
                       const GenerateOptions &options) {
  if (factor.isBF16() || factor.isInteger(8))
    return 1;
  constexpr int64_t kFewest = 32, kFewestSteps = 16;
  auto shape = dot.getType().getShape().take_back(2);
  bool pays = shape[0] >= kFewest && shape[1] >= kFewest &&
              depthOf(dot) >= kFewestSteps;
  return pays && factor.isF16() && sum.isF32() &&
                 options.fastPaths.has(FastPath::DotSplit)
             ? 2
             : 0;
}

/// Can tile registers multiply these types?
static bool hasTiles(tt::DotOp dot, Type factor, Type sum,
                     const GenerateOptions &options) {
  if (!options.fastPaths.has(FastPath::DotKernel) ||
      !options.fastPaths.has(FastPath::DotTiles))
    return false;
  // They add products in an order of their own.
  if (sum.isF32() && termsOf(dot, factor, sum, options) > 0)
    return options.cpu.hasBf16Tiles && options.reassociate &&
           depthOf(dot) % 2 == 0;
  return factor.isInteger(8) && sum.isInteger(32) && options.cpu.hasI8Tiles &&
         depthOf(dot) % 4 == 0;
}

/// The instruction that multiplies words of these types, or None.
static WordProduct wordProductFor(tt::DotOp dot, Type factor, Type sum,
                                  const GenerateOptions &options) {
  const CpuModel &cpu = options.cpu;
  const FastPaths &paths = options.fastPaths;
  WordProduct product = WordProduct::None;
  // vdpbf16ps adds the second product of a pair first.
  if (factor.isBF16() && sum.isF32() && options.reassociate &&
      paths.has(FastPath::DotPairs))
    product = cpu.bf16Product;
  else if (sum.isInteger(32) && paths.has(FastPath::DotIntegers))
    product = factor.isInteger(8)    ? cpu.i8Product
              : factor.isInteger(16) ? cpu.i16Product
                                     : WordProduct::None;
  constexpr int64_t kFewestLanes = 4; // of a vector of 128 bits
  int64_t lanes = std::min<int64_t>(dot.getType().getShape().back(),
                                    cpu.vectorBits / CpuModel::kWordBits);
  if (!paths.has(FastPath::DotKernel) || lanes < kFewestLanes ||
      depthOf(dot) % infoOf(product).together != 0)
    return WordProduct::None;
  return product;
}

/// The fastest kind of multiplication for these element types.
static DotKind kindFor(tt::DotOp dot, Type factor, Type sum,
                       const GenerateOptions &options) {
  if (hasTiles(dot, factor, sum, options))
    return DotKind::Tiles;
  return wordProductFor(dot, factor, sum, options) != WordProduct::None
             ? DotKind::Words
             : DotKind::Elements;
}

static DotBlock blockFor(int64_t rows, int64_t columns, int64_t mostLanes,
                         const GenerateOptions &options) {
  DotBlock block;
  if (!options.fastPaths.has(FastPath::DotKernel))
    return block;
  const CpuModel &cpu = options.cpu;
  block.lanes = std::min(columns, mostLanes);
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
    plan.terms =
        termsOf(dot, left.getElementType(), sums.getElementType(), options);
    if (plan.terms > 1)
      plan.block.rows = 2 * CpuModel::kTileColumns;
    plan.packing = {std::min(depth, CpuModel::kTileRowBits / bits),
                    std::min(columns, CpuModel::kTileColumns), 32 / bits};
    return plan;
  }
  const CpuModel &cpu = options.cpu;
  if (plan.kind == DotKind::Words) {
    plan.product = wordProductFor(dot, left.getElementType(),
                                  sums.getElementType(), options);
    plan.block =
        blockFor(rows, columns, cpu.vectorBits / CpuModel::kWordBits, options);
    plan.packing = {depth, plan.block.lanes * plan.block.vectors,
                    infoOf(plan.product).together};
    return plan;
  }
  plan.block = blockFor(
      rows, columns, cpu.vectorBits / sums.getElementTypeBitWidth(), options);
  plan.packing = {depth, columns, 1};
  if (options.fastPaths.has(FastPath::DotKernel) &&
      options.fastPaths.has(FastPath::DotPanels))
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
  bool isInteger = isa<IntegerType>(left.getElementType()) &&
                   left.getElementType() == right.getElementType() &&
                   types.sum.isInteger(32);
  if (isInteger) {
    unsigned bits = left.getElementTypeBitWidth();
    for (Type factor : {builder.getI8Type(), builder.getI16Type()}) {
      types.factor = factor;
      if (bits <= factor.getIntOrFloatBitWidth() && multipliesAs(factor))
        return types;
    }
  }
  if (isInteger && left.getElementType().isInteger(8)) {
    // Sums of bytes start from zero, so that they stay exact.
    types.addsAfterwards = left.getShape().back() <= kExactDepth;
    if (types.addsAfterwards)
      types.sum = builder.getF32Type();
  }
  types.factor = types.sum;
  if (fitsBf16(left.getElementType()) && fitsBf16(right.getElementType()) &&
      multipliesAs(builder.getBF16Type()))
    types.factor = builder.getBF16Type();
  else if (left.getElementType().isF16() && right.getElementType().isF16() &&
           multipliesAs(builder.getF16Type()))
    types.factor = builder.getF16Type();
  return types;
}

/// Adds 128 to the right operand, whose elements are then unsigned.
static void makeRightUnsigned(tt::DotOp dot) {
  OpBuilder builder(dot);
  auto type = dot.getB().getType();
  Value offset = builder.create<arith::ConstantOp>(
      dot.getLoc(),
      DenseElementsAttr::get(
          type, builder.getIntegerAttr(type.getElementType(), INT8_MIN)));
  dot.getBMutable().assign(
      builder.create<arith::XOrIOp>(dot.getLoc(), dot.getB(), offset));
}

/// Lets the rounding of operands of `dot`, which takes subnormal numbers for 0,
/// do so, too, if nothing else reads them.
static void flushOperands(tt::DotOp dot) {
  for (Value operand : {dot.getA(), dot.getB()}) {
    if (!operand.hasOneUse())
      continue;
    auto transposition = operand.getDefiningOp<tt::TransOp>();
    if (transposition && transposition.getSrc().hasOneUse())
      operand = transposition.getSrc();
    auto rounding = operand.getDefiningOp<arith::TruncFOp>();
    if (rounding && getElementTypeOrSelf(rounding.getType()).isBF16())
      rounding->setAttr(codegen::kFlushAttribute,
                        UnitAttr::get(dot.getContext()));
  }
}

void widenDots(tt::FuncOp kernel, const GenerateOptions &options) {
  codegen::convertDots(kernel,
                       [&](tt::DotOp dot) { return typesFor(dot, options); });
  kernel.walk([&](tt::DotOp dot) {
    DotPlan plan = planProduct(dot, options);
    if (infoOf(plan.product).isRightUnsigned)
      makeRightUnsigned(dot);
    if (plan.kind != DotKind::Elements && options.cpu.hasBf16Conversions)
      flushOperands(dot);
  });
}

} // namespace nereid::cpu
