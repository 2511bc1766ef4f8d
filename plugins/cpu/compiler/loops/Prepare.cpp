// Prepare.cpp - rewrites of a kernel before it is planned.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Prepare.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace nereid::cpu {

LogicalResult inlineHelpers(ModuleOp module) {
  bool calls = false;
  module.walk([&](tt::CallOp) { calls = true; });
  if (!calls)
    return success();
  module.walk([](tt::FuncOp function) { function->removeAttr("noinline"); });
  PassManager passes(module.getContext());
  passes.enableVerifier(false);
  passes.addPass(createInlinerPass());
  return passes.run(module);
}

static Value convert(OpBuilder &builder, Location loc, Value value,
                     Type element) {
  auto from = cast<RankedTensorType>(value.getType());
  auto to = RankedTensorType::get(from.getShape(), element);
  Type source = from.getElementType();
  if (source == element)
    return value;
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

static void widenDot(tt::DotOp dot) {
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
  if (left.getElementType() == inner && result == inner)
    return;
  Value a = convert(builder, loc, dot.getA(), inner);
  Value b = convert(builder, loc, dot.getB(), inner);
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

void widenDots(tt::FuncOp kernel) {
  SmallVector<tt::DotOp> dots;
  kernel.walk([&](tt::DotOp dot) { dots.push_back(dot); });
  for (tt::DotOp dot : dots)
    widenDot(dot);
}

} // namespace nereid::cpu
