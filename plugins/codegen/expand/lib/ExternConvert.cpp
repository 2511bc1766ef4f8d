// Conversions between numbers and integers in a direction of rounding.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Extern.h"
#include "MathFormat.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace nereid::codegen {

static Expr integral(Direction direction, Expr x) {
  switch (direction) {
  case Direction::Nearest:
    return roundEven(x);
  case Direction::Zero:
    return truncOf(x);
  case Direction::Down:
    return floorOf(x);
  case Direction::Up:
    return ceilOf(x);
  }
  llvm_unreachable("unknown direction");
}

// NaN becomes 0, or the top bit if either type has 64 bits.
static Expr toInteger(Direction direction, Expr x, bool isSigned,
                      unsigned width) {
  Expr number = integral(direction, x);
  Type type = x.shapedAs(x.scope->builder.getIntegerType(width));
  Expr result = isSigned ? x.make<arith::FPToSIOp>(type, number)
                         : x.make<arith::FPToUIOp>(type, number);
  uint64_t sign = uint64_t(1) << (width - 1);
  uint64_t largest = isSigned ? sign - 1 : sign | (sign - 1);
  uint64_t least = isSigned ? sign : 0;
  bool isWide = width == 64 || !isF32(x);
  double end = double(sign) * (isSigned ? 1.0 : 2.0);
  Expr isLow = number <= (isSigned ? -end : 0.0);
  result = select(isLow, result.like(int64_t(least)), result);
  result = select(number >= end, result.like(int64_t(largest)), result);
  return select(isNan(x), result.like(int64_t(isWide ? sign : 0)), result);
}

static Expr asFloatOf(Expr x, bool isSigned, FloatType type) {
  return isSigned ? x.make<arith::SIToFPOp>(x.shapedAs(type), x)
                  : x.make<arith::UIToFPOp>(x.shapedAs(type), x);
}

// A 32-bit integer minus its f32, as a signed integer. For 2^31, or 2^32 if
// unsigned, the 32 lowest bits are correct.
static Expr aboveF32(Expr x, Expr nearest, bool isSigned) {
  Type type = x.value.getType();
  Expr back = isSigned ? nearest.make<arith::FPToSIOp>(type, nearest)
                       : nearest.make<arith::FPToUIOp>(type, nearest);
  Expr isEnd = nearest == (isSigned ? 0x1p31 : 0x1p32);
  int64_t end = isSigned ? std::numeric_limits<int32_t>::min() : 0;
  return x - select(isEnd, x.like(end), back);
}

// The halves of an i64 are exact as f64.
static Expr toFloat(Direction direction, Expr x, bool isSigned,
                    FloatType type) {
  Expr nearest = asFloatOf(x, isSigned, type);
  if (direction == Direction::Nearest || (x.width() == 32 && type.isF64()))
    return nearest;
  if (x.width() == 32)
    return settle(direction, nearest,
                  asFloatOf(aboveF32(x, nearest, isSigned), true, type));
  if (!x.scope->options.hasF64) {
    x.scope->refuse("f64 to round an i64 to f32 in a direction");
    return nearest;
  }
  FloatType f64 = x.scope->builder.getF64Type();
  Expr upper = isSigned ? shiftSigned(x, x.like(32)) : x >> 32;
  Expr high = asFloatOf(upper, isSigned, f64) * 0x1p32;
  Expr low = asFloatOf(x & int64_t(0xffffffff), false, f64);
  Expr sum = high + low;
  Expr error = sumError(high, low, sum);
  if (type.isF64())
    return settle(direction, nearest, error);
  Expr difference = sum - extend(nearest, f64);
  return settle(direction, nearest,
                select(difference == 0.0, error, difference));
}

Expr convertToward(Direction direction, Expr x, StringRef from, StringRef to) {
  Builder &b = x.scope->builder;
  if (to.front() != 'f')
    return toInteger(direction, x, to.front() == 'i',
                     to.ends_with("64") ? 64 : 32);
  FloatType type = to == "f32" ? b.getF32Type() : b.getF64Type();
  if (!x.isFloat())
    return toFloat(direction, x, from.front() == 'i', type);
  Expr nearest = truncate(x, type);
  return settle(direction, nearest, x - extend(nearest, b.getF64Type()));
}

} // namespace nereid::codegen
