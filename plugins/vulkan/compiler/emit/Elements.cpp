// Elements.cpp - element-wise operations.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Emitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::vulkan {

static Type elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

static bool mayContract(Operation *op) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  return flags && bitEnumContainsAny(flags.getFastMathFlagsAttr().getValue(),
                                     arith::FastMathFlags::contract);
}

// Integers. An i1 is a bool; where its sign matters, true is -1.

static Id compareIntegers(spirv::Builder &b, arith::CmpIPredicate predicate,
                          Id x, Id y) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return b.ieq(x, y);
  case arith::CmpIPredicate::ne:
    return b.ine(x, y);
  case arith::CmpIPredicate::slt:
    return b.slt(x, y);
  case arith::CmpIPredicate::sle:
    return b.sle(x, y);
  case arith::CmpIPredicate::sgt:
    return b.sgt(x, y);
  case arith::CmpIPredicate::sge:
    return b.sge(x, y);
  case arith::CmpIPredicate::ult:
    return b.ult(x, y);
  case arith::CmpIPredicate::ule:
    return b.ule(x, y);
  case arith::CmpIPredicate::ugt:
    return b.ugt(x, y);
  case arith::CmpIPredicate::uge:
    return b.uge(x, y);
  }
  llvm_unreachable("an unknown predicate");
}

Id Emitter::countZeros(Id x, bool isLeading) {
  TypeId word = b.intType(32);
  unsigned bits = spirv::bitsOf(b.typeInfo(x).scalar);
  auto ofWord = [&](Id value, unsigned width) {
    if (!isLeading) {
      // -1, the largest number, if there is none.
      Id first = b.glsl(GLSLstd450FindILsb, {value});
      return b.select(b.ult(first, b.u32(width)), first, b.u32(width));
    }
    Id last = b.glsl(GLSLstd450FindUMsb, {value});
    return b.isub(b.u32(width - 1), last);
  };
  if (bits < 64)
    return b.uconvert(ofWord(b.uconvert(x, word), bits), b.typeOf(x));
  Id low = b.uconvert(x, word);
  Id high = b.uconvert(b.lshr(x, b.u32(32)), word);
  Id first = isLeading ? high : low, second = isLeading ? low : high;
  Id count = b.select(b.ieq(first, b.u32(0)),
                      b.iadd(ofWord(second, 32), b.u32(32)), ofWord(first, 32));
  return b.uconvert(count, b.typeOf(x));
}

static Id countOnes(spirv::Builder &b, Id x) {
  TypeId word = b.intType(32);
  Id count = b.bitCount(b.uconvert(x, word));
  if (spirv::bitsOf(b.typeInfo(x).scalar) == 64)
    count = b.iadd(count, b.bitCount(b.uconvert(b.lshr(x, b.u32(32)), word)));
  return b.uconvert(count, b.typeOf(x));
}

/// For i1: through the operation on numbers of 32 bits, where it has no name of
/// its own for truth values.
static Id emitOnBools(spirv::Builder &b, Operation *op, ArrayRef<Id> operands) {
  return llvm::TypeSwitch<Operation *, Id>(op)
      .Case<arith::AndIOp, arith::MulIOp, arith::MinUIOp, arith::MaxSIOp>(
          [&](Operation *) { return b.logicalAnd(operands[0], operands[1]); })
      .Case<arith::OrIOp, arith::MaxUIOp, arith::MinSIOp>(
          [&](Operation *) { return b.logicalOr(operands[0], operands[1]); })
      .Case<arith::XOrIOp, arith::AddIOp, arith::SubIOp>([&](Operation *) {
        return b.logicalNotEqual(operands[0], operands[1]);
      })
      // By true, or undefined.
      .Case<arith::DivUIOp, arith::DivSIOp>(
          [&](Operation *) { return operands[0]; })
      .Case<arith::RemUIOp, arith::RemSIOp>(
          [&](Operation *) { return b.boolean(false); })
      // By false, or undefined.
      .Case<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(
          [&](Operation *) { return operands[0]; })
      .Default([](Operation *) { return Id(); });
}

Id Emitter::emitInteger(Operation *op, ArrayRef<Id> operands) {
  Id x = operands[0], y = operands.size() > 1 ? operands[1] : Id();
  if (elementOf(op->getOperand(0)).isInteger(1)) {
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      auto number = [&](Id truth) {
        // As -1 and 0: right for signed and for unsigned comparisons.
        return b.select(truth, b.u32(~0u), b.u32(0));
      };
      return compareIntegers(b, compare.getPredicate(), number(x), number(y));
    }
    return emitOnBools(b, op, operands);
  }
  return llvm::TypeSwitch<Operation *, Id>(op)
      .Case([&](arith::AddIOp) { return b.iadd(x, y); })
      .Case([&](arith::SubIOp) { return b.isub(x, y); })
      .Case([&](arith::MulIOp) { return b.imul(x, y); })
      .Case([&](arith::DivSIOp) { return b.sdiv(x, y); })
      .Case([&](arith::DivUIOp) { return b.udiv(x, y); })
      .Case([&](arith::RemSIOp) { return b.srem(x, y); })
      .Case([&](arith::RemUIOp) { return b.umod(x, y); })
      .Case([&](arith::AndIOp) { return b.bitAnd(x, y); })
      .Case([&](arith::OrIOp) { return b.bitOr(x, y); })
      .Case([&](arith::XOrIOp) { return b.bitXor(x, y); })
      .Case([&](arith::ShLIOp) { return b.shl(x, y); })
      .Case([&](arith::ShRUIOp) { return b.lshr(x, y); })
      .Case([&](arith::ShRSIOp) { return b.ashr(x, y); })
      .Case([&](arith::MaxSIOp) { return b.select(b.sgt(x, y), x, y); })
      .Case([&](arith::MinSIOp) { return b.select(b.slt(x, y), x, y); })
      .Case([&](arith::MaxUIOp) { return b.select(b.ugt(x, y), x, y); })
      .Case([&](arith::MinUIOp) { return b.select(b.ult(x, y), x, y); })
      .Case([&](arith::CmpIOp compare) {
        return compareIntegers(b, compare.getPredicate(), x, y);
      })
      .Case([&](math::AbsIOp) {
        Id zero = b.constant(b.typeOf(x), 0);
        return b.select(b.slt(x, zero), b.ineg(x), x);
      })
      .Case([&](math::CountLeadingZerosOp) { return countZeros(x, true); })
      .Case([&](math::CountTrailingZerosOp) { return countZeros(x, false); })
      .Case([&](math::CtPopOp) { return countOnes(b, x); })
      .Default([](Operation *) { return Id(); });
}

// Floating point.

static Id compareFloats(spirv::Builder &b, arith::CmpFPredicate predicate, Id x,
                        Id y) {
  using Predicate = arith::CmpFPredicate;
  auto isUnordered = [&] { return b.logicalOr(b.isNan(x), b.isNan(y)); };
  switch (predicate) {
  case Predicate::AlwaysFalse:
    return b.boolean(false);
  case Predicate::AlwaysTrue:
    return b.boolean(true);
  case Predicate::ORD:
    return b.logicalNot(isUnordered());
  case Predicate::UNO:
    return isUnordered();
  case Predicate::OEQ:
    return b.fcmp(spv::Op::OpFOrdEqual, x, y);
  case Predicate::OGT:
    return b.fcmp(spv::Op::OpFOrdGreaterThan, x, y);
  case Predicate::OGE:
    return b.fcmp(spv::Op::OpFOrdGreaterThanEqual, x, y);
  case Predicate::OLT:
    return b.fcmp(spv::Op::OpFOrdLessThan, x, y);
  case Predicate::OLE:
    return b.fcmp(spv::Op::OpFOrdLessThanEqual, x, y);
  case Predicate::ONE:
    return b.fcmp(spv::Op::OpFOrdNotEqual, x, y);
  case Predicate::UEQ:
    return b.fcmp(spv::Op::OpFUnordEqual, x, y);
  case Predicate::UGT:
    return b.fcmp(spv::Op::OpFUnordGreaterThan, x, y);
  case Predicate::UGE:
    return b.fcmp(spv::Op::OpFUnordGreaterThanEqual, x, y);
  case Predicate::ULT:
    return b.fcmp(spv::Op::OpFUnordLessThan, x, y);
  case Predicate::ULE:
    return b.fcmp(spv::Op::OpFUnordLessThanEqual, x, y);
  case Predicate::UNE:
    return b.fcmp(spv::Op::OpFUnordNotEqual, x, y);
  }
  llvm_unreachable("an unknown predicate");
}

Id Emitter::extremum(Id x, Id y, bool isMaximum, bool propagatesNan) {
  TypeId type = b.typeOf(x);
  TypeId bits = b.intType(spirv::bitsOf(b.typeInfo(x).scalar));
  Id isFirst = b.fcmp(
      isMaximum ? spv::Op::OpFOrdGreaterThan : spv::Op::OpFOrdLessThan, x, y);
  Id chosen = b.select(isFirst, x, y);
  // Equal numbers differ in the sign of zero at most: the larger is +0.
  Id xBits = b.bitcast(x, bits), yBits = b.bitcast(y, bits);
  Id both = isMaximum ? b.bitAnd(xBits, yBits) : b.bitOr(xBits, yBits);
  chosen = b.select(b.fcmp(spv::Op::OpFOrdEqual, x, y), b.bitcast(both, type),
                    chosen);
  Id first = propagatesNan ? x : y, second = propagatesNan ? y : x;
  chosen = b.select(b.isNan(y), second, chosen);
  return b.select(b.isNan(x), first, chosen);
}

/// `magnitude` with the sign of `sign`.
static Id copySign(spirv::Builder &b, Id magnitude, Id sign) {
  TypeId type = b.typeOf(magnitude);
  unsigned width = spirv::bitsOf(b.typeInfo(magnitude).scalar);
  TypeId bits = b.intType(width);
  uint64_t top = uint64_t(1) << (width - 1);
  Id rest = b.bitAnd(b.bitcast(magnitude, bits), b.constant(bits, top - 1));
  Id own = b.bitAnd(b.bitcast(sign, bits), b.constant(bits, top));
  return b.bitcast(b.bitOr(rest, own), type);
}

static Id absoluteOf(spirv::Builder &b, Id x) {
  return copySign(b, x, b.constant(b.typeOf(x), 0));
}

static Id oneLike(spirv::Builder &b, Id x, bool isHalf) {
  switch (spirv::bitsOf(b.typeInfo(x).scalar)) {
  case 16:
    return b.constant(b.typeOf(x), isHalf ? 0x3800 : 0x3c00);
  case 32:
    return b.f32(isHalf ? 0.5f : 1.0f);
  default:
    return b.f64(isHalf ? 0.5 : 1.0);
  }
}

/// Ties away from zero. A number without a fraction is its own truncation.
static Id roundAway(spirv::Builder &b, Id x) {
  Id whole = b.glsl(GLSLstd450Trunc, {x});
  Id fraction = absoluteOf(b, b.fsub(x, whole));
  Id next = b.fadd(whole, copySign(b, oneLike(b, x, false), x));
  Id isUp =
      b.fcmp(spv::Op::OpFOrdGreaterThanEqual, fraction, oneLike(b, x, true));
  return copySign(b, b.select(isUp, next, whole), x);
}

Id Emitter::unfolded(Id x) {
  if (!device.foldsZeros || b.constantBits(x) != 0)
    return x;
  unsigned width = spirv::bitsOf(b.typeInfo(x).scalar);
  if (width == 64)
    return b.bitcast(
        b.construct(b.vectorType(b.intType(32), 2), {inputs.zero, inputs.zero}),
        b.typeOf(x));
  return b.bitcast(b.uconvert(inputs.zero, b.intType(width)), b.typeOf(x));
}

Id Emitter::emitFloat(Operation *op, ArrayRef<Id> operands) {
  Id x = operands[0], y = operands.size() > 1 ? operands[1] : Id();
  auto glsl = [&](GLSLstd450 instruction) { return b.glsl(instruction, {x}); };
  b.allowContraction(mayContract(op));
  return llvm::TypeSwitch<Operation *, Id>(op)
      .Case([&](arith::AddFOp) { return b.fadd(unfolded(x), unfolded(y)); })
      .Case([&](arith::SubFOp) { return b.fsub(x, y); })
      .Case([&](arith::MulFOp) { return b.fmul(unfolded(x), unfolded(y)); })
      .Case([&](arith::DivFOp) { return b.fdiv(unfolded(x), unfolded(y)); })
      .Case([&](arith::NegFOp) { return b.fneg(x); })
      .Case([&](arith::CmpFOp compare) {
        return compareFloats(b, compare.getPredicate(), x, y);
      })
      .Case([&](arith::MaximumFOp) { return extremum(x, y, true, true); })
      .Case([&](arith::MinimumFOp) { return extremum(x, y, false, true); })
      .Case([&](arith::MaxNumFOp) { return extremum(x, y, true, false); })
      .Case([&](arith::MinNumFOp) { return extremum(x, y, false, false); })
      .Case([&](math::AbsFOp) { return absoluteOf(b, x); })
      .Case([&](math::CopySignOp) { return copySign(b, x, y); })
      .Case([&](math::SqrtOp) { return glsl(GLSLstd450Sqrt); })
      .Case([&](math::FloorOp) { return glsl(GLSLstd450Floor); })
      .Case([&](math::CeilOp) { return glsl(GLSLstd450Ceil); })
      .Case([&](math::TruncOp) { return glsl(GLSLstd450Trunc); })
      .Case([&](math::RoundEvenOp) { return glsl(GLSLstd450RoundEven); })
      .Case([&](math::RoundOp) {
        b.allowContraction(false);
        return roundAway(b, x);
      })
      .Case([&](math::FmaOp) { return b.fma(x, y, operands[2]); })
      .Default([](Operation *) { return Id(); });
}

// Conversions.

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
  Type from = elementOf(op->getOperand(0)), to = elementOf(op->getResult(0));
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

Id Emitter::emitPointer(Operation *op, ArrayRef<Id> operands) {
  if (isa<tt::IntToPtrOp, tt::PtrToIntOp>(op))
    return operands[0];
  auto add = dyn_cast<tt::AddPtrOp>(op);
  if (!add)
    return {};
  auto pointee =
      cast<tt::PointerType>(elementOf(add.getPtr())).getPointeeType();
  unsigned bytes = std::max(8u, tt::getElementBitWidth(pointee)) / 8;
  Id offset = extendSigned(operands[1], b.intType(64));
  return b.iadd(operands[0], b.imul(offset, b.u64(bytes)));
}

Id Emitter::emitElement(Operation *op, ArrayRef<Id> operands, unsigned result) {
  if (isa<ub::PoisonOp>(op))
    return b.null(elementType(elementOf(op->getResult(result))));
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return b.select(operands[0], operands[1], operands[2]);
  if (isa<arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op)) {
    Id both = isa<arith::MulSIExtendedOp>(op)
                  ? b.smulExtended(operands[0], operands[1])
                  : b.umulExtended(operands[0], operands[1]);
    return b.extract(both, {result});
  }
  for (auto emit : {&Emitter::emitPointer, &Emitter::emitConversion,
                    &Emitter::emitInteger, &Emitter::emitFloat})
    if (Id value = (this->*emit)(op, operands))
      return value;
  return {};
}

Ids Emitter::emitRegion(Region &region, ArrayRef<Id> arguments) {
  Block &block = region.front();
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    scalars[argument] = value;
  for (Operation &op : block.without_terminator())
    if (failed(emitOp(&op)))
      return {};
  Ids results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(scalars[value]);
  return results;
}

} // namespace nereid::vulkan
