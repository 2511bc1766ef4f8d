// Arithmetic on f16, bf16 and fp8 by means of f32.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// f32 has more than twice the precision of all of them, so one operation in
// f32, rounded to the narrow type, is correctly rounded.

#include "Extern.h"
#include "Rewrites.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "nereid/codegen/Magnitude.h"
#include "nereid/ttir/Dialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::codegen {

// Operations that a target with arithmetic on a type has as instructions.
static bool isBasic(Operation *op) {
  if (isa<arith::ArithDialect>(op->getDialect()))
    return !isa<arith::RemFOp>(op);
  return isa<math::AbsFOp, math::CeilOp, math::CopySignOp, math::FloorOp,
             math::FmaOp, math::RoundOp, math::RoundEvenOp, math::SqrtOp,
             math::TruncOp, tt::ClampFOp, tt::PreciseSqrtOp, tt::PreciseDivFOp>(
      op);
}

static bool isNarrow(Type type, Operation *op, const ExpandOptions &options) {
  Type element = getElementTypeOrSelf(type);
  if (element.isF16())
    return !options.hasF16Arithmetic || !isBasic(op);
  if (element.isBF16())
    return !options.hasBf16Arithmetic || !isBasic(op);
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8;
}

static Expr widen(Expr x) {
  return convertFloat(x, x.scope->builder.getF32Type());
}

static FloatType floatTypeOf(Value value) {
  return cast<FloatType>(getElementTypeOrSelf(value));
}

// Negation and absolute value are exact bit operations. The fp8 types without
// -0 have their only NaN at that pattern, which does not change.
static Expr changeSign(Expr x, bool negate) {
  FloatType type = floatTypeOf(x.value);
  unsigned width = x.width();
  int64_t sign = int64_t(1) << (width - 1);
  Expr pattern = bits(x);
  Expr changed = negate ? pattern ^ sign : pattern & (sign - 1);
  if (type.isFloat8E4M3FNUZ() || type.isFloat8E5M2FNUZ()) {
    Expr keeps = negate ? (pattern & (sign - 1)) == 0 : pattern == sign;
    changed = select(keeps, pattern, changed);
  }
  return asFloat(changed, type);
}

// One of the operands unchanged; the other one if one is NaN, as in maxnum and
// minnum.
static Expr pickNumber(Expr x, Expr y, bool larger) {
  Expr wideX = widen(x), wideY = widen(y);
  Expr isBetter = larger ? wideX > wideY : wideX < wideY;
  return select(isBetter | isNan(wideY), x, y);
}

// NaN if either is, and +0 is larger than -0, as in maximum and minimum. Of
// equal numbers only zeros differ in their bits.
static Expr pickExtreme(Expr x, Expr y, bool larger) {
  FloatType type = floatTypeOf(x.value);
  Expr wideX = widen(x), wideY = widen(y);
  Expr tied = larger ? bits(x) & bits(y) : bits(x) | bits(y);
  Expr pick = select(isNan(wideX), x, asFloat(tied, type));
  pick = select(isNan(wideY), y, pick);
  pick = select(larger ? wideX < wideY : wideX > wideY, y, pick);
  return select(larger ? wideX > wideY : wideX < wideY, x, pick);
}

// The same operation on f32 operands, itself expanded if need be.
static Expr inF32(Scope &scope, Operation *op) {
  Type f32 = scope.builder.getF32Type();
  auto toF32 = [&](Type type) -> Type {
    if (!isa<FloatType>(getElementTypeOrSelf(type)))
      return type;
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped ? Type(shaped.clone(f32)) : f32;
  };
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (isa<FloatType>(getElementTypeOrSelf(operand)))
      mapping.map(operand, widen({&scope, operand}).value);
  Operation *wide = scope.builder.clone(*op, mapping);
  wide->getResult(0).setType(toF32(op->getResult(0).getType()));
  scope.moveTo(wide);
  std::optional<Expr> expanded = expandOperation(scope, wide);
  scope.moveTo(op);
  if (!expanded)
    return {&scope, wide->getResult(0)};
  wide->erase();
  return *expanded;
}

// What to add to the pattern of a float for the next one in the direction of
// the error.
static Expr stepTowards(Expr error, Expr pattern) {
  Expr last = pattern.like(int64_t(pattern.width()) - 1);
  return shiftSigned(bits(error) ^ pattern, last) | 1;
}

// One unit towards the error, if there is one and the sum is even.
Expr roundToOdd(Expr sum, Expr error) {
  Expr pattern = bits(sum);
  Expr isEven = (pattern & 1) == 0;
  Expr isInexact = (error < 0.0) | (error > 0.0);
  return asFloat(select(isInexact & isEven,
                        pattern + stepTowards(error, pattern), pattern));
}

// Two roundings, where the first one is to odd, are one. The product is exact
// in `wide`.
static Expr multiplyAddIn(FloatType wide, Expr x, Expr y, Expr z) {
  Expr product = convertFloat(x, wide) * convertFloat(y, wide);
  Expr addend = convertFloat(z, wide);
  Expr sum = product + addend;
  return convertFloat(roundToOdd(sum, sumError(product, addend, sum)),
                      floatTypeOf(x.value));
}

// A sum in f32 is rounded once more, which is wrong only if it is a tie of bf16
// and not exact: its last bit then gets to say on which side of the tie the
// exact sum is. In such a sum z is less than the product, whose 16 bits reach
// from half a unit of bf16 to the last one of f32 otherwise, so that what
// rounding took from it is exact (Dekker). The product has no bits below f32's
// range unless it is less than 2^-134, and too far from that for a tie.
static Expr bf16MultiplyAdd(Expr x, Expr y, Expr z) {
  Expr sum = fma(x, y, z);
  Expr error = fma(x, y, -sum) + z;
  Expr pattern = bits(sum);
  Expr isTie = (pattern & 0xffff) == 0x8000;
  Expr isInexact = (error < 0.0) | (error > 0.0);
  Expr odd = asFloat(select(isTie & isInexact,
                            pattern + stepTowards(error, pattern), pattern));
  return convertFloat(odd, x.scope->builder.getBF16Type());
}

static Expr fusedMultiplyAdd(Expr x, Expr y, Expr z) {
  Builder &b = x.scope->builder;
  FloatType type = floatTypeOf(x.value);
  if (!type.isBF16())
    return multiplyAddIn(b.getF32Type(), x, y, z);
  if (x.scope->options.hasFma)
    return bf16MultiplyAdd(widen(x), widen(y), widen(z));
  if (x.scope->options.hasWideTypes())
    return multiplyAddIn(b.getF64Type(), x, y, z);
  auto [nearest, side] = roundedMultiplyAdd(widen(x), widen(y), widen(z));
  return convertFloat(roundToOdd(nearest, side), type);
}

// As many upper bits as f32 holds, and a sticky bit for the rounding that is
// set if any bit below is. Exact if f32 represents the integer.
static Expr gatherDigits(Expr x, bool isSigned) {
  int64_t dropped = x.width() - 24;
  int64_t below = (int64_t(1) << (dropped + 1)) - 1;
  Expr top = isSigned ? shiftSigned(x, x.like(23)) : x >> 24;
  Expr fits = isSigned ? (top == 0) | (top == -1) : top == 0;
  Expr rest = x & below;
  Expr sticky = select(rest == 0, rest, rest.like(int64_t(1) << dropped));
  return select(fits, x, (x & ~below) | sticky);
}

static Expr asF32(Expr x, bool isSigned) {
  Type f32 = x.shapedAs(x.scope->builder.getF32Type());
  return isSigned ? x.make<arith::SIToFPOp>(f32, x)
                  : x.make<arith::UIToFPOp>(f32, x);
}

// An i64, by those 32 bits of it that decide the result.
static Expr i64ToBf16(Expr x, bool isSigned) {
  auto upper = [&](Expr v, int64_t by) {
    return isSigned ? shiftSigned(v, v.like(by)) : v >> by;
  };
  auto fits = [&](Expr v) {
    if (!isSigned)
      return (v >> 32) == 0;
    Expr sign = upper(v, 31);
    return (sign == 0) | (sign == -1);
  };
  Expr part = x, scale = asFloat(truncate(x.like(0), 32)).like(1.0);
  for (int64_t by : {16, 32}) {
    int64_t below = (int64_t(1) << by) - 1;
    Expr sticky = extendUnsigned((x & below) != 0, 64);
    Expr isPlaced = fits(part);
    part = select(isPlaced, part, upper(x, by) | sticky);
    scale = select(isPlaced, scale, std::ldexp(1.0, by));
  }
  Expr number = asF32(gatherDigits(truncate(part, 32), isSigned), isSigned);
  return convertFloat(number * scale, x.scope->builder.getBF16Type());
}

// The integer is exact in f32, except for bits too low to affect rounding.
static Expr integerToNarrow(Scope &scope, Operation *op, bool isSigned) {
  FloatType type = floatTypeOf(op->getResult(0));
  Expr x{&scope, op->getOperand(0)};
  unsigned width = isSigned ? signedBitsOf(x.value) : x.width() + 1;
  if (type.isBF16() && width <= 9) // not rounded
    return asFloat(truncate(bits(asF32(x, isSigned)) >> 16, 16), type);
  // Integers that f32 rounds overflow in f16.
  bool isExact = width <= 25 || !type.isBF16();
  if (!isExact && x.width() == 64)
    return i64ToBf16(x, isSigned);
  return convertFloat(asF32(isExact ? x : gatherDigits(x, isSigned), isSigned),
                      type);
}

static bool isMovedAsItIs(Operation *op) {
  return isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp,
             arith::ExtFOp, arith::TruncFOp, tt::FpToFpOp, tt::BitcastOp>(op);
}

static bool isArithmetic(Operation *op) {
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
         isa<tt::ClampFOp, tt::PreciseSqrtOp, tt::PreciseDivFOp>(op);
}

std::optional<Expr> expandNarrow(Scope &scope, Operation *op) {
  if (!isArithmetic(op) || isMovedAsItIs(op))
    return {};
  auto narrow = [&](Type type) { return isNarrow(type, op, scope.options); };
  bool fromNarrow = llvm::any_of(op->getOperandTypes(), narrow);
  bool toNarrow = narrow(op->getResult(0).getType());
  if (!fromNarrow && !toNarrow)
    return {};
  auto operand = [&](unsigned i) { return Expr{&scope, op->getOperand(i)}; };
  return llvm::TypeSwitch<Operation *, std::optional<Expr>>(op)
      .Case([&](arith::NegFOp) { return changeSign(operand(0), true); })
      .Case([&](math::AbsFOp) { return changeSign(operand(0), false); })
      .Case([&](arith::MaxNumFOp) {
        return pickNumber(operand(0), operand(1), true);
      })
      .Case([&](arith::MinNumFOp) {
        return pickNumber(operand(0), operand(1), false);
      })
      .Case([&](arith::MaximumFOp) {
        return pickExtreme(operand(0), operand(1), true);
      })
      .Case([&](arith::MinimumFOp) {
        return pickExtreme(operand(0), operand(1), false);
      })
      .Case([&](math::FmaOp) {
        return fusedMultiplyAdd(operand(0), operand(1), operand(2));
      })
      .Case([&](arith::SIToFPOp) { return integerToNarrow(scope, op, true); })
      .Case([&](arith::UIToFPOp) { return integerToNarrow(scope, op, false); })
      .Default([&](Operation *) {
        Expr result = inF32(scope, op);
        if (!toNarrow)
          return result;
        return convertFloat(result, floatTypeOf(op->getResult(0)));
      });
}

} // namespace nereid::codegen
