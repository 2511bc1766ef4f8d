// Rewrites products to the types in which a backend computes them.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "nereid/codegen/DotTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace nereid::codegen {

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
  // bf16 has all values of 8-bit floats.
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

Type dotSumType(tt::DotOp dot) {
  Type result = dot.getType().getElementType();
  bool isNarrow = isa<FloatType>(result) && result.getIntOrFloatBitWidth() < 32;
  return isNarrow ? Float32Type::get(dot.getContext()) : result;
}

static void convertDot(tt::DotOp dot, const DotTypes &types) {
  OpBuilder builder(dot);
  Location loc = dot.getLoc();
  RankedTensorType type = dot.getType();
  Type result = type.getElementType();
  Value a = convert(builder, loc, dot.getA(), types.factor);
  Value b = convert(builder, loc, dot.getB(), types.factor);
  dot->setOperand(0, a);
  dot->setOperand(1, b);
  if (result == types.sum)
    return;
  auto inner = RankedTensorType::get(type.getShape(), types.sum);
  Value accumulator = dot.getC();
  Value start =
      types.addsAfterwards
          ? builder.create<arith::ConstantOp>(
                loc, inner, cast<TypedAttr>(builder.getZeroAttr(inner)))
          : convert(builder, loc, accumulator, types.sum);
  auto sum = builder.create<tt::DotOp>(loc, inner, a, b, start,
                                       dot.getInputPrecision(),
                                       dot.getMaxNumImpreciseAcc());
  sum->setDiscardableAttrs(llvm::to_vector(dot->getDiscardableAttrs()));
  Value product = convert(builder, loc, sum, result);
  if (types.addsAfterwards)
    product = builder.create<arith::AddIOp>(loc, product, accumulator);
  dot.replaceAllUsesWith(product);
  dot.erase();
}

void convertDots(tt::FuncOp kernel,
                 llvm::function_ref<DotTypes(tt::DotOp)> choose) {
  SmallVector<tt::DotOp> dots;
  kernel.walk([&](tt::DotOp dot) { dots.push_back(dot); });
  for (tt::DotOp dot : dots)
    convertDot(dot, choose(dot));
}

} // namespace nereid::codegen
