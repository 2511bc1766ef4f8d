// Integer division that never traps, with good code for vectors.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// x86 has no vector division of integers and traps on a zero divisor, which a
// masked-off lane may have. Vectors divide in floating point instead, which
// never traps: - 8 and 16 bits in f32, 32 bits in f64: a quotient that is not
// an integer is at
//    least 1/divisor away from one, much more than the rounding, so truncation
//    is exact. A divisor that all lanes share is inverted once.
//  - 64 bits in f64 too, if both numbers are known to have at most 51: offsets
//    are often extended from 32 bits.
//  - other 64 bits in f64, twice: a first quotient that is never too large, the
//    remainder of it by integer arithmetic, the quotient of that, and a last
//    correction by one.
// Scalars use the machine's division with the bad divisors replaced by 1.

#include "llvmir/ElementOpsEmitter.h"
#include "nereid/codegen/Magnitude.h"

using namespace mlir;
using llvm::Instruction;

namespace nereid::codegen {

struct ElementEmitter::Division {
  llvm::Value *dividend;
  /// A scalar if all lanes share it.
  llvm::Value *divisor;
  bool isSigned;
};

// 1 + 2^-51 and 1 - 2^-50: factors that make a quotient or an inverse larger,
// or smaller, than the exact value despite rounding.
static constexpr double kUpF64 = 1.0 + 0x1p-51;
static constexpr double kDownF64 = 1.0 - 0x1p-50;

// Signed integers of so many bits, divided in f64 with kUpF64, have exact
// quotients: the error is less than 2^50 / divisor * 2^-50.
static constexpr unsigned kBitsInF64 = 51;
// A double of this size has units of one: the sum with an integer of kBitsInF64
// bits has it in its lowest bits.
static constexpr double kIntegersF64 = 0x1.8p52;

static llvm::Value *toFloat(llvm::IRBuilderBase &b, llvm::Value *value,
                            llvm::Type *scalar, bool isSigned) {
  llvm::Type *type = value->getType()->getWithNewType(scalar);
  return isSigned ? b.CreateSIToFP(value, type) : b.CreateUIToFP(value, type);
}

static llvm::Value *toInteger(llvm::IRBuilderBase &b, llvm::Value *value,
                              llvm::Type *scalar, bool isSigned) {
  llvm::Type *type = value->getType()->getWithNewType(scalar);
  return b.CreateFreeze(isSigned ? b.CreateFPToSI(value, type)
                                 : b.CreateFPToUI(value, type));
}

llvm::Value *ElementEmitter::quotientInF32(const Division &division) {
  // Through i32: the machine converts only 32 and 64 bits, and the values of
  // an unsigned i16 are signed i32.
  llvm::Type *i32 = b.getInt32Ty();
  auto widen = [&](llvm::Value *value) {
    return b.CreateIntCast(value, value->getType()->getWithNewType(i32),
                           division.isSigned);
  };
  llvm::Value *divisor = splat(widen(division.divisor));
  llvm::Value *quotient =
      b.CreateFDiv(toFloat(b, widen(division.dividend), b.getFloatTy(), true),
                   toFloat(b, divisor, b.getFloatTy(), true));
  return b.CreateTrunc(toInteger(b, quotient, i32, true), resultType());
}

/// The quotient of two doubles, the divisor perhaps one for all lanes, which is
/// exact when it is truncated.
llvm::Value *ElementEmitter::quotientOfF64(llvm::Value *dividend,
                                           llvm::Value *divisor) {
  if (divisor->getType()->isVectorTy())
    return b.CreateFDiv(dividend, divisor);
  llvm::Value *inverse =
      b.CreateFDiv(llvm::ConstantFP::get(divisor->getType(), kUpF64), divisor);
  return b.CreateFMul(dividend, splat(inverse));
}

llvm::Value *ElementEmitter::quotientInF64(const Division &division) {
  llvm::Type *f64 = b.getDoubleTy();
  llvm::Value *quotient =
      quotientOfF64(toFloat(b, division.dividend, f64, division.isSigned),
                    toFloat(b, division.divisor, f64, division.isSigned));
  return toInteger(b, quotient, b.getInt32Ty(), division.isSigned);
}

/// Of signed numbers of at most kBitsInF64 bits. Only AVX-512 converts 64 bits:
/// additions move the bits where they are wanted.
llvm::Value *ElementEmitter::quotientOfFewBits(const Division &division) {
  auto asDouble = [&](llvm::Value *value) {
    llvm::Type *type = value->getType()->getWithNewType(b.getDoubleTy());
    llvm::Constant *large = llvm::ConstantFP::get(type, kIntegersF64);
    llvm::Value *sum = b.CreateAdd(
        value, llvm::ConstantExpr::getBitCast(large, value->getType()));
    return b.CreateFSub(b.CreateBitCast(sum, type), large);
  };
  llvm::Value *quotient = intrinsic(
      llvm::Intrinsic::trunc,
      {quotientOfF64(asDouble(division.dividend), asDouble(division.divisor))});
  llvm::Constant *large =
      llvm::ConstantFP::get(quotient->getType(), kIntegersF64);
  llvm::Type *integers = division.dividend->getType();
  return b.CreateSub(b.CreateBitCast(b.CreateFAdd(quotient, large), integers),
                     llvm::ConstantExpr::getBitCast(large, integers));
}

// Dividend and divisor unsigned; the divisor may be one for all lanes.
llvm::Value *ElementEmitter::unsignedQuotientOf64Bits(llvm::Value *dividend,
                                                      llvm::Value *divisor) {
  llvm::Type *f64 = b.getDoubleTy();
  llvm::Value *down =
      llvm::ConstantFP::get(divisor->getType()->getWithNewType(f64), kDownF64);
  llvm::Value *inverse =
      splat(b.CreateFDiv(down, toFloat(b, divisor, f64, false)));
  divisor = splat(divisor);
  auto lowQuotient = [&](llvm::Value *value) {
    llvm::Value *product = b.CreateFMul(toFloat(b, value, f64, false), inverse);
    return toInteger(b, product, b.getInt64Ty(), false);
  };
  llvm::Value *first = lowQuotient(dividend);
  llvm::Value *rest = b.CreateSub(dividend, b.CreateMul(first, divisor));
  llvm::Value *second = lowQuotient(rest);
  rest = b.CreateSub(rest, b.CreateMul(second, divisor));
  // A true comparison is -1 when sign-extended.
  llvm::Value *isLow = b.CreateICmpUGE(rest, divisor);
  llvm::Value *correction = b.CreateSExt(isLow, dividend->getType());
  return b.CreateSub(b.CreateAdd(first, second), correction);
}

llvm::Value *ElementEmitter::quotientOf64Bits(const Division &division) {
  llvm::Value *dividend = division.dividend, *divisor = division.divisor;
  if (!division.isSigned)
    return unsignedQuotientOf64Bits(dividend, divisor);
  auto magnitude = [&](llvm::Value *value) {
    return intrinsic(llvm::Intrinsic::abs, {value, b.getFalse()});
  };
  llvm::Value *quotient =
      unsignedQuotientOf64Bits(magnitude(dividend), magnitude(divisor));
  llvm::Value *signs = b.CreateXor(dividend, splat(divisor));
  llvm::Value *isNegative =
      b.CreateICmpSLT(signs, llvm::ConstantInt::get(signs->getType(), 0));
  return b.CreateSelect(isNegative, b.CreateNeg(quotient), quotient);
}

// The divisor, 1 in place of one on which the machine would trap.
llvm::Value *ElementEmitter::guardedDivisor(const Division &division) {
  llvm::Value *divisor = splat(division.divisor);
  llvm::Type *type = divisor->getType();
  llvm::Value *bad = b.CreateICmpEQ(divisor, llvm::ConstantInt::get(type, 0));
  if (division.isSigned) {
    auto lowest = llvm::APInt::getSignedMinValue(type->getScalarSizeInBits());
    llvm::Value *overflows = b.CreateAnd(
        b.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type)),
        b.CreateICmpEQ(division.dividend,
                       llvm::ConstantInt::get(type, lowest)));
    bad = b.CreateOr(bad, overflows);
  }
  return b.CreateSelect(bad, llvm::ConstantInt::get(type, 1), divisor);
}

// Constant divisors that cannot trap, and for which LLVM has better code: a
// multiplication by the inverse, or a shift.
static bool isGoodConstant(llvm::Value *divisor, bool isWideVector) {
  auto *constant = dyn_cast<llvm::Constant>(divisor);
  if (constant && constant->getType()->isVectorTy())
    constant = constant->getSplatValue();
  auto *integer = dyn_cast_or_null<llvm::ConstantInt>(constant);
  if (!integer || integer->isZero() || integer->isMinusOne())
    return false;
  return !isWideVector || integer->getValue().isPowerOf2();
}

llvm::Value *ElementEmitter::divideOrRemain(bool isSigned, bool wantRemainder) {
  Division division{vec(0), raw(1), isSigned};
  unsigned width = resultType()->getScalarSizeInBits();
  bool isGood = isGoodConstant(raw(1), lanes > 1 && width > 32);
  llvm::Value *quotient;
  if (!isGood && lanes > 1 && width <= 16) {
    quotient = quotientInF32(division);
  } else if (!isGood && lanes > 1 && width == 32) {
    quotient = quotientInF64(division);
  } else if (!isGood && lanes > 1 && width == 64) {
    bool isSmall =
        isSigned && llvm::all_of(op->getOperands(), [](mlir::Value operand) {
          return signedBitsOf(operand) <= kBitsInF64;
        });
    quotient =
        isSmall ? quotientOfFewBits(division) : quotientOf64Bits(division);
  } else {
    auto quotientOp = isSigned ? Instruction::SDiv : Instruction::UDiv;
    auto remainderOp = isSigned ? Instruction::SRem : Instruction::URem;
    return b.CreateBinOp(wantRemainder ? remainderOp : quotientOp, vec(0),
                         isGood ? vec(1) : guardedDivisor(division));
  }
  if (!wantRemainder)
    return quotient;
  return b.CreateSub(vec(0), b.CreateMul(quotient, vec(1)));
}

ElementEmitter::Values ElementEmitter::emitDivision() {
  if (isa<arith::DivSIOp>(op))
    return {divideOrRemain(/*isSigned=*/true, /*wantRemainder=*/false)};
  if (isa<arith::DivUIOp>(op))
    return {divideOrRemain(/*isSigned=*/false, /*wantRemainder=*/false)};
  if (isa<arith::RemSIOp>(op))
    return {divideOrRemain(/*isSigned=*/true, /*wantRemainder=*/true)};
  if (isa<arith::RemUIOp>(op))
    return {divideOrRemain(/*isSigned=*/false, /*wantRemainder=*/true)};
  return {};
}

} // namespace nereid::codegen
