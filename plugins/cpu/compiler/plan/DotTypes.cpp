// DotTypes.cpp - operand types of dots, and the rewrites to them.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/DotTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::cpu {

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

/// About 16 sums hide the latency of a multiply-add on every machine with 32
/// vector registers, and 8 on those with 16; powers of two divide every tile.
static DotBlock blockFor(int64_t rows, int64_t columns, unsigned sumBits,
                         const GenerateOptions &options) {
  DotBlock block;
  if (!options.fastPaths.has(FastPath::DotKernel))
    return block;
  bool hasMany = options.cpu.vectorRegisters > 16;
  int64_t sums = hasMany ? 16 : 8;
  block.lanes = std::min<int64_t>(columns, options.cpu.vectorBits / sumBits);
  block.vectors = std::min<int64_t>(columns / block.lanes, hasMany ? 4 : 2);
  block.rows = std::min(rows, sums / block.vectors);
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
  plan.block =
      blockFor(rows, columns, sums.getElementTypeBitWidth(), options);
  plan.packing = {depth, columns, 1};
  if (plan.kind == DotKind::Pairs)
    plan.packing = {depth, plan.block.lanes * plan.block.vectors, 2};
  return plan;
}

/// True when bf16 represents every number of `type`.
static bool fitsBf16(Type type) {
  return type.isBF16() || type.isInteger(8) ||
         (isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8);
}

/// Truncates an f32 to bf16 by its upper half.
static Value upperHalf(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Type wide = type.clone(builder.getI32Type());
  Value bits = builder.create<arith::BitcastOp>(loc, wide, value);
  Value by = builder.create<arith::ConstantOp>(
      loc, DenseElementsAttr::get(cast<ShapedType>(wide),
                                  builder.getI32IntegerAttr(16)));
  Value upper = builder.create<arith::ShRUIOp>(loc, bits, by);
  Value half = builder.create<arith::TruncIOp>(
      loc, type.clone(builder.getI16Type()), upper);
  return builder.create<arith::BitcastOp>(
      loc, type.clone(builder.getBF16Type()), half);
}

static Value convert(OpBuilder &builder, Location loc, Value value,
                     Type element) {
  auto from = cast<RankedTensorType>(value.getType());
  auto to = RankedTensorType::get(from.getShape(), element);
  Type source = from.getElementType();
  if (source == element)
    return value;
  if (element.isBF16() && source.getIntOrFloatBitWidth() == 8)
    return upperHalf(builder, loc,
                     convert(builder, loc, value, builder.getF32Type()));
  if (isa<IntegerType>(source) && isa<IntegerType>(element))
    return builder.create<arith::ExtSIOp>(loc, to, value);
  if (isa<IntegerType>(source))
    return builder.create<arith::SIToFPOp>(loc, to, value);
  if (isa<IntegerType>(element))
    return builder.create<arith::FPToSIOp>(loc, to, value);
  if (source.getIntOrFloatBitWidth() == 8)
    return builder.create<tt::FpToFpOp>(loc, to, value, tt::RoundingModeAttr());
  if (source.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
    return builder.create<arith::ExtFOp>(loc, to, value);
  return builder.create<arith::TruncFOp>(loc, to, value);
}

static void widenDot(tt::DotOp dot, const GenerateOptions &options) {
  constexpr int64_t kExactDepth = 1024;
  OpBuilder builder(dot);
  Location loc = dot.getLoc();
  auto left = cast<RankedTensorType>(dot.getA().getType());
  auto type = cast<RankedTensorType>(dot.getType());
  Type result = type.getElementType(), inner = result;
  auto multipliesAs = [&](Type factor) {
    return kindFor(dot, factor, inner, options) != DotKind::Elements;
  };
  if (left.getElementType().isInteger(8) && multipliesAs(left.getElementType()))
    return;
  bool isBytes = left.getElementType().isInteger(8) &&
                 left.getShape().back() <= kExactDepth;
  if (isBytes || (isa<FloatType>(result) && result.getIntOrFloatBitWidth() < 32))
    inner = builder.getF32Type();
  Type factor = inner;
  auto right = cast<RankedTensorType>(dot.getB().getType());
  if (fitsBf16(left.getElementType()) && fitsBf16(right.getElementType()) &&
      multipliesAs(builder.getBF16Type()))
    factor = builder.getBF16Type();
  Value a = convert(builder, loc, dot.getA(), factor);
  Value b = convert(builder, loc, dot.getB(), factor);
  dot->setOperand(0, a);
  dot->setOperand(1, b);
  if (result == inner)
    return;
  auto wide = RankedTensorType::get(type.getShape(), inner);
  Value accumulator = dot.getC();
  // Sums of bytes start from zero, so that they stay exact.
  Value start = isBytes
                    ? builder.create<arith::ConstantOp>(
                          loc, wide, cast<TypedAttr>(builder.getZeroAttr(wide)))
                    : convert(builder, loc, accumulator, inner);
  auto sum = builder.create<tt::DotOp>(loc, wide, a, b, start,
                                       dot.getInputPrecision(),
                                       dot.getMaxNumImpreciseAcc());
  Value narrow = convert(builder, loc, sum, result);
  if (isBytes)
    narrow = builder.create<arith::AddIOp>(loc, narrow, accumulator);
  dot.replaceAllUsesWith(narrow);
  dot.erase();
}

void widenDots(tt::FuncOp kernel, const GenerateOptions &options) {
  SmallVector<tt::DotOp> dots;
  kernel.walk([&](tt::DotOp dot) { dots.push_back(dot); });
  for (tt::DotOp dot : dots)
    widenDot(dot, options);
}

} // namespace nereid::cpu
