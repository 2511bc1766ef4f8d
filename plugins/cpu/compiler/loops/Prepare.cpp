// Prepare.cpp - rewrites of a kernel before it is planned.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Prepare.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/MC/MCSubtargetInfo.h"

using namespace mlir;

namespace nereid::cpu {

bool pairsBf16(tt::DotOp dot, const GenerateOptions &options) {
  if (!options.fastPaths.has("dot-kernel") ||
      !options.fastPaths.has("dot-pairs"))
    return false;
  // Intel's instruction runs at half the rate of a multiply-add, so that f32
  // wins: 346 against 198 GFLOP/s on two cores of a Sapphire Rapids.
  const llvm::TargetMachine &machine = *options.machine;
  if (!machine.getTargetTriple().isX86() ||
      !machine.getTargetCPU().starts_with("znver") ||
      !machine.getMCSubtargetInfo()->checkFeatures("+avx512bf16,+avx512vl"))
    return false;
  constexpr int64_t kFewestLanes = 4;
  auto right = cast<RankedTensorType>(dot.getB().getType());
  ArrayRef<int64_t> shape = right.getShape();
  return shape[shape.size() - 2] % 2 == 0 && shape.back() >= kFewestLanes;
}

/// True when bf16 holds every number of `type`.
static bool fitsBf16(Type type) {
  return type.isBF16() || type.isInteger(8) ||
         (isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8);
}

/// The upper half of an f32 that is a bf16.
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
  bool isBytes = left.getElementType().isInteger(8) &&
                 left.getShape().back() <= kExactDepth;
  if (isBytes || (isa<FloatType>(result) && result.getIntOrFloatBitWidth() < 32))
    inner = builder.getF32Type();
  Type factor = inner;
  auto right = cast<RankedTensorType>(dot.getB().getType());
  if (inner.isF32() && fitsBf16(left.getElementType()) &&
      fitsBf16(right.getElementType()) && pairsBf16(dot, options))
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
