// Dot.cpp - plans products.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Dot.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::vulkan {

DotPlan planDot(tt::DotOp dot, const DeviceModel &device) {
  ArrayRef<int64_t> left = dot.getA().getType().getShape();
  RankedTensorType sums = dot.getType();
  DotPlan plan;
  plan.batches = left.size() == 3 ? left.front() : 1;
  plan.rows = left[left.size() - 2];
  plan.depth = plan.slice = left.back();
  plan.columns = sums.getShape().back();
  plan.words = sharedWordsOf(sums.getElementType());
  while (plan.slice > 1 && plan.sharedBytes() > device.sharedBytes)
    plan.slice /= 2;
  return plan;
}

static Value convert(OpBuilder &builder, Location loc, Value value,
                     Type element) {
  auto from = cast<RankedTensorType>(value.getType());
  auto to = RankedTensorType::get(from.getShape(), element);
  Type source = from.getElementType();
  if (source == element)
    return value;
  if (isa<IntegerType>(source))
    return builder.create<arith::ExtSIOp>(loc, to, value);
  if (source.getIntOrFloatBitWidth() == 8)
    return builder.create<tt::FpToFpOp>(loc, to, value, tt::RoundingModeAttr());
  if (source.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
    return builder.create<arith::ExtFOp>(loc, to, value);
  return builder.create<arith::TruncFOp>(loc, to, value);
}

static void widenDot(tt::DotOp dot) {
  OpBuilder builder(dot);
  Location loc = dot.getLoc();
  RankedTensorType type = dot.getType();
  Type result = type.getElementType(), inner = result;
  if (isa<FloatType>(result) && result.getIntOrFloatBitWidth() < 32)
    inner = builder.getF32Type();
  Value a = convert(builder, loc, dot.getA(), inner);
  Value b = convert(builder, loc, dot.getB(), inner);
  dot->setOperand(0, a);
  dot->setOperand(1, b);
  if (result == inner)
    return;
  auto sum = builder.create<tt::DotOp>(
      loc, RankedTensorType::get(type.getShape(), inner), a, b,
      convert(builder, loc, dot.getC(), inner), dot.getInputPrecision(),
      dot.getMaxNumImpreciseAcc());
  dot.replaceAllUsesWith(convert(builder, loc, sum, result));
  dot.erase();
}

void widenDots(tt::FuncOp kernel) {
  SmallVector<tt::DotOp> dots;
  kernel.walk([&](tt::DotOp dot) { dots.push_back(dot); });
  for (tt::DotOp dot : dots)
    widenDot(dot);
}

} // namespace nereid::vulkan
