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

Id Emitter::extendSigned(Id x, TypeId to) {
  unsigned from = spirv::bitsOf(b.typeInfo(x).scalar);
  bool isWide = spirv::bitsOf(b.type(to).scalar) == 64 && from < 64;
  if (!isWide || !device.comparesExtendedWrongly || b.isConstant(x))
    return b.sconvert(x, to);
  TypeId word = b.intType(32);
  Id low = b.sconvert(x, word);
  return b.bitcast(
      b.construct(b.vectorType(word, 2), {low, b.ashr(low, b.u32(31))}), to);
}

Id Emitter::extendUnsigned(Id x, TypeId to) {
  bool isWide = spirv::bitsOf(b.type(to).scalar) == 64 &&
                spirv::bitsOf(b.typeInfo(x).scalar) < 64;
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
        return extendSigned(fromBool ? number(true) : x, type);
      })
      .Case([&](arith::TruncIOp) {
        if (!toBool)
          return b.uconvert(x, type);
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
          return b.convertFToS(x, type);
        return b.ine(b.convertFToS(x, b.intType(32)), b.u32(0));
      })
      .Case([&](arith::FPToUIOp) {
        if (!toBool)
          return b.convertFToU(x, type);
        return b.ine(b.convertFToU(x, b.intType(32)), b.u32(0));
      })
      .Case([&](arith::ExtFOp) {
        if (b.constantBits(x) == 0) // stays known; see unfolded()
          return b.constant(type, 0);
        return b.fconvert(from.isBF16() ? extendBf16(x) : x, type);
      })
      .Case([&](arith::TruncFOp) {
        return to.isBF16() ? truncateToBf16(x) : b.fconvert(x, type);
      })
      .Case<arith::BitcastOp, tt::BitcastOp>(
          [&](Operation *) { return b.bitcast(x, type); })
      .Default([](Operation *) { return Id(); });
}

} // namespace nereid::vulkan
