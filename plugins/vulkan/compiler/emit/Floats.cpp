// Floats.cpp - arithmetic on floating-point numbers.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Emitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::vulkan {

static bool mayContract(Operation *op) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  return flags && bitEnumContainsAny(flags.getFastMathFlagsAttr().getValue(),
                                     arith::FastMathFlags::contract);
}

static Id compareFloats(DeviceBuilder &b, arith::CmpFPredicate predicate, Id x,
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
  if (device.ordersZeros && type == b.typeOf(b.f32(0))) {
    Id chosen = b.glsl(isMaximum ? GLSLstd450NMax : GLSLstd450NMin, {x, y});
    if (!propagatesNan)
      return chosen;
    return b.select(b.isNan(x), x, b.select(b.isNan(y), y, chosen));
  }
  TypeId bits = b.intType(b.widthOf(x));
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
static Id copySign(DeviceBuilder &b, Id magnitude, Id sign) {
  TypeId type = b.typeOf(magnitude);
  unsigned width = b.widthOf(magnitude);
  TypeId bits = b.intType(width);
  uint64_t top = uint64_t(1) << (width - 1);
  Id rest = b.bitAnd(b.bitcast(magnitude, bits), b.constant(bits, top - 1));
  Id own = b.bitAnd(b.bitcast(sign, bits), b.constant(bits, top));
  return b.bitcast(b.bitOr(rest, own), type);
}

static Id absoluteOf(DeviceBuilder &b, Id x) {
  return copySign(b, x, b.constant(b.typeOf(x), 0));
}

static Id oneLike(DeviceBuilder &b, Id x, bool isHalf) {
  switch (b.widthOf(x)) {
  case 16:
    return b.constant(b.typeOf(x), isHalf ? 0x3800 : 0x3c00);
  case 32:
    return b.f32(isHalf ? 0.5f : 1.0f);
  default:
    return b.f64(isHalf ? 0.5 : 1.0);
  }
}

/// Ties away from zero. A number without a fraction is its own truncation.
static Id roundAway(DeviceBuilder &b, Id x) {
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
  unsigned width = b.widthOf(x);
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
      .Case([&](math::Exp2Op) { return glsl(GLSLstd450Exp2); })
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

} // namespace nereid::vulkan
