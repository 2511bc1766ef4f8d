// Casts.cpp - conversions between types of elements.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Emitter.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::vulkan {

Id Emitter::extendBf16(Id bits) {
  TypeId word = b.intType(32);
  return b.bitcast(b.shl(b.uconvert(bits, word), b.u32(16)), b.floatType(32));
}

Id Emitter::truncateToBf16(Id x) {
  TypeId word = b.intType(32), half = b.intType(16);
  Id bits = b.bitcast(x, word);
  // To nearest, ties to even; a NaN becomes quiet and stays one.
  Id odd = b.bitAnd(b.lshr(bits, b.u32(16)), b.u32(1));
  Id rounded = b.iadd(bits, b.iadd(odd, b.u32(0x7fff)));
  Id quiet = b.bitOr(bits, b.u32(0x400000));
  Id chosen = b.select(b.isNan(x), quiet, rounded);
  return b.uconvert(b.lshr(chosen, b.u32(16)), half);
}

// f16 without instructions for it. Those that unpack and pack halves in a word
// may flush subnormal numbers and round either way.

Id Emitter::extendF16(Id half) {
  TypeId f32 = b.floatType(32);
  Id bits = b.uconvert(half, b.intType(32));
  Id sign = b.shl(b.bitAnd(bits, b.u32(0x8000)), b.u32(16));
  Id exponent = b.bitAnd(bits, b.u32(0x7c00));
  Id fraction = b.bitAnd(bits, b.u32(0x3ff));
  Id moved = b.shl(b.bitAnd(bits, b.u32(0x7fff)), b.u32(13));
  Id normal = b.iadd(moved, b.u32((127 - 15) << 23));
  Id special = b.bitOr(moved, b.u32(0xff << 23));
  Id tiny = b.fmul(b.convertUToF(fraction, f32), b.f32(0x1p-24f));
  Id magnitude =
      b.select(b.ieq(exponent, b.u32(0)), b.bitcast(tiny, b.intType(32)),
               b.select(b.ieq(exponent, b.u32(0x7c00)), special, normal));
  return b.bitcast(b.bitOr(magnitude, sign), f32);
}

Id Emitter::truncateToF16(Id x) {
  TypeId word = b.intType(32);
  Id bits = b.bitcast(x, word);
  Id sign = b.bitAnd(b.lshr(bits, b.u32(16)), b.u32(0x8000));
  Id magnitude = b.bitAnd(bits, b.u32(0x7fffffff));
  // To nearest, ties to even; a carry goes on into the exponent.
  Id rebased = b.isub(magnitude, b.u32((127 - 15) << 23));
  Id odd = b.bitAnd(b.lshr(rebased, b.u32(13)), b.u32(1));
  Id normal = b.lshr(b.iadd(rebased, b.iadd(odd, b.u32(0xfff))), b.u32(13));
  Id units = b.fmul(b.bitcast(magnitude, b.floatType(32)), b.f32(0x1p24f));
  Id isTiny = b.ult(magnitude, b.u32((127 - 14) << 23));
  // Only what is tiny fits a word.
  units = b.select(isTiny, units, b.f32(0));
  Id tiny = b.convertFToU(b.glsl(GLSLstd450RoundEven, {units}), word);
  Id number = b.select(isTiny, tiny, normal);
  Id isBeyond = b.uge(magnitude, b.u32(0x477ff000)); // 65520
  number = b.select(isBeyond, b.u32(0x7c00), number);
  Id payload = b.bitAnd(b.lshr(magnitude, b.u32(13)), b.u32(0x3ff));
  Id isNan = b.ugt(magnitude, b.u32(0x7f800000));
  number = b.select(isNan, b.bitOr(payload, b.u32(0x7e00)), number);
  return b.uconvert(b.bitOr(number, sign), b.intType(16));
}

Id Emitter::extendSigned(Id x, TypeId to) {
  bool isWide = b.hasI64() && b.widthOf(to) == 64 && b.widthOf(x) < 64;
  if (!isWide || !device.comparesExtendedWrongly || b.isConstant(x))
    return b.sconvert(x, to);
  TypeId word = b.intType(32);
  Id low = b.sconvert(x, word);
  return b.bitcast(
      b.construct(b.vectorType(word, 2), {low, b.ashr(low, b.u32(31))}), to);
}

Id Emitter::extendUnsigned(Id x, TypeId to) {
  bool isWide = b.hasI64() && b.widthOf(to) == 64 && b.widthOf(x) < 64;
  if (!isWide || !device.comparesExtendedWrongly || b.isConstant(x))
    return b.uconvert(x, to);
  TypeId word = b.intType(32);
  return b.bitcast(
      b.construct(b.vectorType(word, 2), {b.uconvert(x, word), b.u32(0)}), to);
}

Id Emitter::emitConversion(Operation *op, ArrayRef<Id> operands) {
  Id x = operands[0];
  Type from = getElementTypeOrSelf(op->getOperand(0)),
       to = getElementTypeOrSelf(op->getResult(0));
  TypeId type = elementType(to);
  bool fromBool = from.isInteger(1), toBool = to.isInteger(1);
  unsigned width = to.isInteger() ? to.getIntOrFloatBitWidth() : 32;
  if (isa<arith::ExtSIOp, arith::SIToFPOp, arith::IndexCastOp>(op))
    x = withSign(x, from);
  auto number = [&](bool isSigned) {
    TypeId word = b.intType(32);
    return b.select(x, b.constant(word, isSigned ? ~0u : 1u),
                    b.constant(word, 0));
  };
  return llvm::TypeSwitch<Operation *, Id>(op)
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](Operation *) {
        return extendUnsigned(fromBool ? number(false) : x, type);
      })
      .Case<arith::ExtSIOp, arith::IndexCastOp>([&](Operation *) {
        return b.wrap(extendSigned(fromBool ? number(true) : x, type), width);
      })
      .Case([&](arith::TruncIOp) {
        if (!toBool)
          return b.truncate(x, width);
        Id one = b.constant(b.typeOf(x), 1);
        return b.ieq(b.bitAnd(x, one), one);
      })
      .Case([&](arith::SIToFPOp) {
        return b.convertSToF(fromBool ? number(true) : x, type);
      })
      .Case([&](arith::UIToFPOp) {
        return b.convertUToF(fromBool ? number(false) : x, type);
      })
      .Case([&](arith::FPToSIOp) {
        if (!toBool)
          return b.wrap(b.convertFToS(x, type), width);
        return b.ine(b.convertFToS(x, b.intType(32)), b.u32(0));
      })
      .Case([&](arith::FPToUIOp) {
        if (!toBool)
          return b.wrap(b.convertFToU(x, type), width);
        return b.ine(b.convertFToU(x, b.intType(32)), b.u32(0));
      })
      .Case([&](arith::ExtFOp) {
        if (b.constantBits(x) == 0) // stays known; see unfolded()
          return b.constant(type, 0);
        if (from.isF16() && b.isF16InBits())
          return b.fconvert(extendF16(x), type);
        return b.fconvert(from.isBF16() ? extendBf16(x) : x, type);
      })
      .Case([&](arith::TruncFOp) {
        if (to.isF16() && b.isF16InBits())
          return truncateToF16(x);
        return to.isBF16() ? truncateToBf16(x) : b.fconvert(x, type);
      })
      .Case<arith::BitcastOp, tt::BitcastOp>(
          [&](Operation *) { return b.bitcast(x, type); })
      .Default([](Operation *) { return Id(); });
}

} // namespace nereid::vulkan
