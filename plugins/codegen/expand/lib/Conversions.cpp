// Conversions between floating-point types.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// All conversions go through f32: it represents every narrower type exactly. An
// f64 is rounded to f32 "to odd", so that the second rounding still knows on
// which side of a tie the number is.

#include "Rewrites.h"
#include "SmallFloat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "nereid/ttir/Dialect.h"

using namespace mlir;

namespace nereid::codegen {

static bool isFp8(FloatType type) { return type.getWidth() == 8; }

// An f64 that is not an f32 becomes the neighbouring f32 with an odd last bit.
static Expr roundToOdd(Expr x) {
  FloatType f32 = x.scope->builder.getF32Type();
  Expr nearest = truncate(x, f32);
  Expr back = extend(nearest, x.scope->builder.getF64Type());
  Expr pattern = bits(nearest);
  Expr isEven = (pattern & 1) == 0;
  Expr isInexact = (back < x) | (back > x);
  Expr step = select(abs(back) < abs(x), pattern + 1, pattern - 1);
  return asFloat(select(isInexact & isEven, step, pattern));
}

// NaN becomes a quiet NaN whatever bits are truncated.
static Expr f32ToBf16TowardZero(Expr x) {
  Expr pattern = bits(x);
  Expr kept = select(isNan(x), pattern | 0x400000, pattern);
  return asFloat(truncate(kept >> 16, 16), x.scope->builder.getBF16Type());
}

static Expr f64ToF32TowardZero(Expr x) {
  Expr nearest = truncate(x, x.scope->builder.getF32Type());
  Expr back = extend(nearest, x.scope->builder.getF64Type());
  Expr pattern = bits(nearest);
  return asFloat(select(abs(back) > abs(x), pattern - 1, pattern));
}

static bool isByBits(FloatType type, const ExpandOptions &options) {
  return isFp8(type) || (type.isF16() && !options.hasF16Conversions);
}

static Expr widenToF32(Expr x) {
  auto type = cast<FloatType>(x.elementType());
  Builder &b = x.scope->builder;
  if (type.isFloat8E5M2() && x.scope->options.hasF16Conversions) {
    // The upper half of an f16.
    Expr half = extendUnsigned(bits(x), 16) << 8;
    return extend(asFloat(half, b.getF16Type()), b.getF32Type());
  }
  return isByBits(type, x.scope->options) ? smallFloatToF32(x)
                                          : extend(x, b.getF32Type());
}

static Expr narrowF32(Expr x, FloatType type, Rounding rounding) {
  if (rounding == Rounding::TowardZero && type.isBF16())
    return f32ToBf16TowardZero(x);
  if (rounding == Rounding::TowardZero || isByBits(type, x.scope->options))
    return f32ToSmallFloat(x, type, rounding);
  return truncate(x, type);
}

Expr convertFloat(Expr x, FloatType type, Rounding rounding) {
  auto from = cast<FloatType>(x.elementType());
  FloatType f32 = x.scope->builder.getF32Type();
  if (from == type)
    return x;
  if (from.isF64()) {
    if (!type.isF32())
      return narrowF32(roundToOdd(x), type, rounding);
    return rounding == Rounding::TowardZero ? f64ToF32TowardZero(x)
                                            : truncate(x, f32);
  }
  Expr wide = from.isF32() ? x : widenToF32(x);
  if (type.isF32())
    return wide;
  return type.isF64() ? extend(wide, type) : narrowF32(wide, type, rounding);
}

// Conversions that every target or emitter supports: one step between f16 or
// bf16 and f32, and between f32 and f64.
static bool isPlain(FloatType from, FloatType to, Rounding rounding,
                    const ExpandOptions &options) {
  if (isByBits(from, options) || isByBits(to, options) ||
      from.getWidth() == to.getWidth())
    return false;
  if (from.getWidth() < to.getWidth())
    return true;
  return rounding == Rounding::ToNearestEven &&
         (from.isF32() || (from.isF64() && to.isF32()));
}

std::optional<Expr> expandConversion(Scope &scope, Operation *op) {
  Rounding rounding = Rounding::ToNearestEven;
  if (auto convert = dyn_cast<tt::FpToFpOp>(op)) {
    if (convert.getRounding() == tt::RoundingMode::RTZ)
      rounding = Rounding::TowardZero;
  } else if (auto truncation = dyn_cast<arith::TruncFOp>(op)) {
    if (truncation.getRoundingmode() == arith::RoundingMode::toward_zero)
      rounding = Rounding::TowardZero;
  } else if (!isa<arith::ExtFOp>(op)) {
    return {};
  }
  auto from = cast<FloatType>(getElementTypeOrSelf(op->getOperand(0)));
  auto to = cast<FloatType>(getElementTypeOrSelf(op->getResult(0)));
  if (!isa<tt::FpToFpOp>(op) && isPlain(from, to, rounding, scope.options))
    return {};
  return convertFloat({&scope, op->getOperand(0)}, to, rounding);
}

} // namespace nereid::codegen
