// Integers.cpp - arithmetic on integers. An i1 is a bool; where its sign
// matters, true is -1.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Emitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::vulkan {

static Id compareIntegers(DeviceBuilder &b, arith::CmpIPredicate predicate,
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

Id Emitter::countZeros(Id x, unsigned bits, bool isLeading) {
  TypeId word = b.intType(32);
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

static Id countOnes(DeviceBuilder &b, Id x) {
  TypeId word = b.intType(32);
  Id count = b.bitCount(b.uconvert(x, word));
  if (b.widthOf(x) == 64)
    count = b.iadd(count, b.bitCount(b.uconvert(b.lshr(x, b.u32(32)), word)));
  return b.uconvert(count, b.typeOf(x));
}

/// For i1: through the operation on numbers of 32 bits, where it has no name of
/// its own for truth values.
static Id emitOnBools(DeviceBuilder &b, Operation *op, ArrayRef<Id> operands) {
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
      .Case<arith::ShLIOp, arith::ShRUIOp>([&](Operation *) {
        return b.logicalAnd(operands[0], b.logicalNot(operands[1]));
      })
      .Case([&](arith::ShRSIOp) { return operands[0]; })
      .Default([](Operation *) { return Id(); });
}

/// Too large an amount, which SPIR-V leaves undefined, shifts all bits out.
static Id emitShift(DeviceBuilder &b, Operation *op, Id x, Id amount,
                    unsigned bits) {
  auto number = [&](uint64_t value) {
    return b.constant(b.typeOf(amount), value);
  };
  std::optional<uint64_t> known = b.constantBits(amount);
  bool isKnownToFit = known && *known < bits;
  Id fits = isKnownToFit ? Id() : b.ult(amount, number(bits));
  auto ifFits = [&](Id value, Id other) {
    return isKnownToFit ? value : b.select(fits, value, other);
  };
  if (isa<arith::ShRSIOp>(op))
    return b.ashr(x, ifFits(amount, number(bits - 1)));
  Id some = ifFits(amount, number(0));
  return ifFits(isa<arith::ShLIOp>(op) ? b.shl(x, some) : b.lshr(x, some),
                number(0));
}

Id Emitter::emitInteger(Operation *op, ArrayRef<Id> operands) {
  Type type = getElementTypeOrSelf(op->getOperand(0));
  if (!type.isIntOrIndex())
    return {};
  unsigned bits = type.isIndex() ? 32 : type.getIntOrFloatBitWidth();
  if (bits == 1) {
    Id x = operands[0], y = operands.size() > 1 ? operands[1] : Id();
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      auto number = [&](Id truth) {
        // As -1 and 0: right for signed and for unsigned comparisons.
        return b.select(truth, b.u32(~0u), b.u32(0));
      };
      return compareIntegers(b, compare.getPredicate(), number(x), number(y));
    }
    return emitOnBools(b, op, operands);
  }
  return b.isInWord(bits) ? emitNarrow(op, operands, bits)
                          : emitNative(op, operands, bits);
}

Id Emitter::emitNative(Operation *op, ArrayRef<Id> operands, unsigned bits) {
  Id x = operands[0], y = operands.size() > 1 ? operands[1] : Id();
  return llvm::TypeSwitch<Operation *, Id>(op)
      .Case([&](arith::AddIOp) { return addSums(x, y); })
      .Case([&](arith::SubIOp) { return b.isub(x, y); })
      .Case([&](arith::MulIOp) { return b.imul(x, y); })
      .Case([&](arith::DivSIOp) { return b.sdiv(x, y); })
      .Case([&](arith::DivUIOp) { return b.udiv(x, y); })
      // Vulkan leaves OpSRem undefined where an operand is negative.
      .Case([&](arith::RemSIOp) {
        return bits == 64 && !b.hasI64() ? b.srem(x, y)
                                         : b.isub(x, b.imul(b.sdiv(x, y), y));
      })
      .Case([&](arith::RemUIOp) { return b.umod(x, y); })
      .Case([&](arith::AndIOp) { return b.bitAnd(x, y); })
      .Case([&](arith::OrIOp) { return b.bitOr(x, y); })
      .Case([&](arith::XOrIOp) { return b.bitXor(x, y); })
      .Case<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(
          [&](Operation *) { return emitShift(b, op, x, y, bits); })
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
      .Case(
          [&](math::CountLeadingZerosOp) { return countZeros(x, bits, true); })
      .Case([&](math::CountTrailingZerosOp) {
        return countZeros(x, bits, false);
      })
      .Case([&](math::CtPopOp) { return countOnes(b, x); })
      .Default([](Operation *) { return Id(); });
}

} // namespace nereid::vulkan
