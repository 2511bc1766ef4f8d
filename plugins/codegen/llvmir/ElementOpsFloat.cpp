// Element-wise floating-point arithmetic and conversions.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "llvmir/Avx512.h"
#include "llvmir/ElementOpsEmitter.h"
#include "tile/QuietNan.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using llvm::CmpInst;
using llvm::Instruction;

namespace nereid::codegen {

static CmpInst::Predicate floatPredicate(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return CmpInst::FCMP_FALSE;
  case arith::CmpFPredicate::OEQ:
    return CmpInst::FCMP_OEQ;
  case arith::CmpFPredicate::OGT:
    return CmpInst::FCMP_OGT;
  case arith::CmpFPredicate::OGE:
    return CmpInst::FCMP_OGE;
  case arith::CmpFPredicate::OLT:
    return CmpInst::FCMP_OLT;
  case arith::CmpFPredicate::OLE:
    return CmpInst::FCMP_OLE;
  case arith::CmpFPredicate::ONE:
    return CmpInst::FCMP_ONE;
  case arith::CmpFPredicate::ORD:
    return CmpInst::FCMP_ORD;
  case arith::CmpFPredicate::UEQ:
    return CmpInst::FCMP_UEQ;
  case arith::CmpFPredicate::UGT:
    return CmpInst::FCMP_UGT;
  case arith::CmpFPredicate::UGE:
    return CmpInst::FCMP_UGE;
  case arith::CmpFPredicate::ULT:
    return CmpInst::FCMP_ULT;
  case arith::CmpFPredicate::ULE:
    return CmpInst::FCMP_ULE;
  case arith::CmpFPredicate::UNE:
    return CmpInst::FCMP_UNE;
  case arith::CmpFPredicate::UNO:
    return CmpInst::FCMP_UNO;
  case arith::CmpFPredicate::AlwaysTrue:
    return CmpInst::FCMP_TRUE;
  }
  llvm_unreachable("unknown floating-point predicate");
}

static bool mayContract(Operation *op) {
  auto arithmetic = dyn_cast<arith::ArithFastMathInterface>(op);
  if (!arithmetic)
    return false;
  // Conversions have the interface, but the attribute may be missing.
  arith::FastMathFlagsAttr flags = arithmetic.getFastMathFlagsAttr();
  return flags &&
         bitEnumContainsAll(flags.getValue(), arith::FastMathFlags::contract);
}

ElementEmitter::Values ElementEmitter::emitFloat() {
  namespace id = llvm::Intrinsic;
  // fp8 is represented as an integer here and has no arithmetic.
  if (op->getNumOperands() == 0 || !vec(0)->getType()->isFPOrFPVectorTy())
    return {};
  llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  llvm::FastMathFlags flags;
  flags.setAllowContract(context.fpFusion && mayContract(op));
  b.setFastMathFlags(flags);

  auto binary = [&](Instruction::BinaryOps opcode) -> Values {
    return {b.CreateBinOp(opcode, vec(0), vec(1))};
  };
  auto call = [&](id::ID which) -> Values {
    Values arguments;
    for (unsigned i = 0; i < operands.size(); ++i)
      arguments.push_back(vec(i));
    return {intrinsic(which, arguments)};
  };
  // With a number that is known, LLVM needs no more instructions. That of
  // AVX-512 yields NaN beside one that signals.
  auto extremum = [&](id::ID which) -> Values {
    llvm::Type *type = vec(0)->getType()->getScalarType();
    bool isKnown = isa<llvm::Constant>(raw(0)) || isa<llvm::Constant>(raw(1));
    if (!context.hasExtrema || lanes == 1 || isKnown ||
        !(type->isFloatTy() || type->isDoubleTy()) ||
        !llvm::all_of(op->getOperands(), isNeverSignalling))
      return call(which);
    return {emitExtremum(b, vec(0), vec(1), which == id::maxnum)};
  };
  return llvm::TypeSwitch<Operation *, Values>(op)
      .Case([&](arith::AddFOp) { return binary(Instruction::FAdd); })
      .Case([&](arith::SubFOp) { return binary(Instruction::FSub); })
      .Case([&](arith::MulFOp) { return binary(Instruction::FMul); })
      .Case([&](arith::DivFOp) { return binary(Instruction::FDiv); })
      .Case([&](arith::NegFOp) { return Values{b.CreateFNeg(vec(0))}; })
      .Case([&](arith::CmpFOp cmp) -> Values {
        auto predicate = floatPredicate(cmp.getPredicate());
        return {b.CreateFCmp(predicate, vec(0), vec(1))};
      })
      .Case([&](arith::MaxNumFOp) { return extremum(id::maxnum); })
      .Case([&](arith::MinNumFOp) { return extremum(id::minnum); })
      .Case([&](arith::MaximumFOp) { return call(id::maximum); })
      .Case([&](arith::MinimumFOp) { return call(id::minimum); })
      .Case([&](math::AbsFOp) { return call(id::fabs); })
      .Case([&](math::CeilOp) { return call(id::ceil); })
      .Case([&](math::CopySignOp) { return call(id::copysign); })
      .Case([&](math::FloorOp) { return call(id::floor); })
      .Case([&](math::FmaOp) { return call(id::fma); })
      .Case([&](math::RoundOp) { return call(id::round); })
      .Case([&](math::RoundEvenOp) { return call(id::roundeven); })
      .Case([&](math::SqrtOp) { return call(id::sqrt); })
      .Case([&](math::TruncOp) { return call(id::trunc); })
      .Default([](Operation *) { return Values{}; });
}

// Out of range yields an arbitrary value, as on x86; poison would reach
// branches.
ElementEmitter::Values ElementEmitter::emitFloatCast() {
  return llvm::TypeSwitch<Operation *, Values>(op)
      .Case([&](arith::BitcastOp) -> Values {
        return {b.CreateBitCast(vec(0), resultType())};
      })
      .Case([&](arith::ExtFOp) -> Values {
        return {extendFloat(vec(0), resultType())};
      })
      .Case([&](arith::TruncFOp) -> Values {
        return {truncateFloat(vec(0), resultType())};
      })
      .Case([&](arith::SIToFPOp) -> Values {
        return {b.CreateSIToFP(vec(0), resultType())};
      })
      .Case([&](arith::UIToFPOp) -> Values {
        return {b.CreateUIToFP(vec(0), resultType())};
      })
      .Case([&](arith::FPToSIOp) -> Values {
        return {freeze(b.CreateFPToSI(vec(0), resultType()))};
      })
      .Case([&](arith::FPToUIOp) -> Values {
        return {freeze(b.CreateFPToUI(vec(0), resultType()))};
      })
      .Default([](Operation *) { return Values{}; });
}

llvm::Value *ElementEmitter::bf16ToF32(llvm::Value *value) {
  llvm::Value *bits = b.CreateBitCast(value, withLanes(b.getInt16Ty()));
  llvm::Value *wide = b.CreateZExt(bits, withLanes(b.getInt32Ty()));
  return b.CreateBitCast(b.CreateShl(wide, 16), withLanes(b.getFloatTy()));
}

// To nearest, ties to even: adding half a unit carries into the exponent, up to
// infinity. NaN preserves its upper bits and becomes quiet.
llvm::Value *ElementEmitter::f32ToBf16(llvm::Value *value) {
  constexpr unsigned kFewestLanes = 4; // of an instruction
  if (op->hasAttr(kFlushAttribute) && lanes >= kFewestLanes)
    return b.CreateFPTrunc(value, withLanes(b.getBFloatTy()));
  llvm::Type *i32 = withLanes(b.getInt32Ty());
  auto constant = [&](uint32_t bits) {
    return llvm::ConstantInt::get(i32, bits);
  };
  llvm::Value *bits = b.CreateBitCast(value, i32);
  llvm::Value *odd = b.CreateAnd(b.CreateLShr(bits, 16), constant(1));
  llvm::Value *rounded = b.CreateAdd(bits, b.CreateAdd(odd, constant(0x7fff)));
  llvm::Value *quiet = b.CreateOr(bits, constant(0x400000));
  llvm::Value *isNan = b.CreateFCmpUNO(value, value);
  llvm::Value *chosen = b.CreateSelect(isNan, quiet, rounded);
  llvm::Value *high =
      b.CreateTrunc(b.CreateLShr(chosen, 16), withLanes(b.getInt16Ty()));
  return b.CreateBitCast(high, withLanes(b.getBFloatTy()));
}

llvm::Value *ElementEmitter::extendFloat(llvm::Value *value, llvm::Type *type) {
  if (value->getType()->getScalarType()->isBFloatTy())
    value = bf16ToF32(value);
  return b.CreateFPExt(value, type);
}

llvm::Value *ElementEmitter::truncateFloat(llvm::Value *value,
                                           llvm::Type *type) {
  if (type->getScalarType()->isBFloatTy() &&
      value->getType()->getScalarType()->isFloatTy())
    return f32ToBf16(value);
  return b.CreateFPTrunc(value, type);
}

} // namespace nereid::codegen
