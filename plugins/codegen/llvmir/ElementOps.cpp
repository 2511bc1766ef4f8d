// Types, constants, and element-wise operations on integers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "llvmir/ElementOps.h"
#include "llvmir/ElementOpsEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "nereid/ttir/Dialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/MDBuilder.h"

using namespace mlir;
using llvm::CmpInst;
using llvm::Instruction;

namespace nereid::codegen {

llvm::Type *convertElementType(Type type, llvm::LLVMContext &context) {
  Type element = getElementTypeOrSelf(type);
  if (auto integer = dyn_cast<IntegerType>(element))
    return llvm::IntegerType::get(context, integer.getWidth());
  if (isa<IndexType>(element))
    return llvm::Type::getInt64Ty(context);
  if (isa<tt::PointerType>(element))
    return llvm::PointerType::getUnqual(context);
  if (element.isF16())
    return llvm::Type::getHalfTy(context);
  if (element.isBF16())
    return llvm::Type::getBFloatTy(context);
  if (element.isF32())
    return llvm::Type::getFloatTy(context);
  if (element.isF64())
    return llvm::Type::getDoubleTy(context);
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8)
    return llvm::Type::getInt8Ty(context);
  return nullptr;
}

llvm::Constant *emitConstant(Attribute element, llvm::LLVMContext &context) {
  if (auto integer = dyn_cast<IntegerAttr>(element)) {
    llvm::Type *type = convertElementType(integer.getType(), context);
    return type ? llvm::ConstantInt::get(context, integer.getValue()) : nullptr;
  }
  auto number = dyn_cast<FloatAttr>(element);
  llvm::Type *type =
      number ? convertElementType(number.getType(), context) : nullptr;
  if (!type)
    return nullptr;
  if (type->isIntegerTy()) // fp8 is represented by its bits
    return llvm::ConstantInt::get(context, number.getValue().bitcastToAPInt());
  return llvm::ConstantFP::get(context, number.getValue());
}

FailureOr<SmallVector<llvm::Value *>>
emitElementOp(llvm::IRBuilderBase &builder, Operation *op,
              ArrayRef<llvm::Value *> operands, unsigned lanes,
              const ElementContext &context) {
  for (Type type : op->getResultTypes())
    if (!convertElementType(type, builder.getContext()))
      return op->emitOpError() << "has a result of type " << type
                               << ", which no element on a cpu can have";
  if (isElementOp(op)) {
    ElementEmitter emitter(builder, op, operands, lanes, context);
    SmallVector<llvm::Value *> results = emitter.emit();
    if (results.size() == op->getNumResults())
      return results;
  }
  return op->emitOpError("is not supported as an element-wise operation");
}

llvm::Type *ElementEmitter::withLanes(llvm::Type *scalar) {
  return lanes == 1 ? scalar : llvm::FixedVectorType::get(scalar, lanes);
}

llvm::Type *ElementEmitter::resultType(unsigned i) {
  return withLanes(
      convertElementType(op->getResult(i).getType(), b.getContext()));
}

llvm::Value *ElementEmitter::splat(llvm::Value *value) {
  if (lanes == 1 || value->getType()->isVectorTy())
    return value;
  return b.CreateVectorSplat(lanes, value);
}

llvm::Value *ElementEmitter::intrinsic(llvm::Intrinsic::ID id,
                                       ArrayRef<llvm::Value *> arguments) {
  return b.CreateIntrinsic(id, {arguments.front()->getType()}, arguments);
}

llvm::Value *ElementEmitter::freeze(llvm::Value *value) {
  return isa<llvm::Constant>(value) ? value : b.CreateFreeze(value);
}

ElementEmitter::Values ElementEmitter::emit() {
  for (auto part :
       {&ElementEmitter::emitInteger, &ElementEmitter::emitFloat,
        &ElementEmitter::emitFloatCast, &ElementEmitter::emitDivision,
        &ElementEmitter::emitPointer, &ElementEmitter::emitConstantOp,
        &ElementEmitter::emitLibraryCall})
    if (Values results = (this->*part)(); !results.empty())
      return results;
  return {};
}

ElementEmitter::Values ElementEmitter::emitConstantOp() {
  if (isa<ub::PoisonOp>(op))
    return {llvm::PoisonValue::get(resultType())};
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (!constant)
    return {};
  Attribute element = constant.getValue();
  if (auto elements = dyn_cast<DenseElementsAttr>(element)) {
    if (!elements.isSplat())
      return {};
    element = elements.getSplatValue<Attribute>();
  }
  llvm::Constant *value = emitConstant(element, b.getContext());
  if (!value)
    return {};
  return {lanes == 1 ? value : b.CreateVectorSplat(lanes, value)};
}

llvm::Value *ElementEmitter::select() {
  llvm::Value *condition = raw(0); // may stay one bit for all lanes
  llvm::Value *result = b.CreateSelect(condition, vec(1), vec(2));
  auto *instruction = dyn_cast<llvm::SelectInst>(result);
  if (instruction && op->hasAttr(kRareAttribute))
    instruction->setMetadata(
        llvm::LLVMContext::MD_prof,
        llvm::MDBuilder(b.getContext()).createBranchWeights(1, 1000));
  return result;
}

// Too large an amount shifts all bits out, as on NVIDIA's GPUs and in Triton's
// interpreter. The vector instructions of x86 do so too, and LLVM knows that.
llvm::Value *ElementEmitter::shift(Instruction::BinaryOps opcode) {
  llvm::Value *value = vec(0), *amount = vec(1);
  llvm::Type *type = amount->getType();
  auto number = [&](unsigned bits) {
    return llvm::ConstantInt::get(type, bits);
  };
  unsigned width = type->getScalarSizeInBits();
  if (opcode == Instruction::AShr)
    return b.CreateAShr(value,
                        b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, amount,
                                                number(width - 1)));
  return b.CreateSelect(b.CreateICmpULT(amount, number(width)),
                        b.CreateBinOp(opcode, value, amount), number(0));
}

ElementEmitter::Values ElementEmitter::extendedMultiply(bool isSigned) {
  unsigned width = resultType()->getScalarSizeInBits();
  llvm::Type *wide = withLanes(b.getIntNTy(2 * width));
  auto extend = [&](llvm::Value *value) {
    return isSigned ? b.CreateSExt(value, wide) : b.CreateZExt(value, wide);
  };
  llvm::Value *product = b.CreateMul(extend(vec(0)), extend(vec(1)));
  llvm::Value *high = b.CreateLShr(product, width);
  return {b.CreateTrunc(product, resultType()),
          b.CreateTrunc(high, resultType())};
}

static CmpInst::Predicate integerPredicate(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return CmpInst::ICMP_EQ;
  case arith::CmpIPredicate::ne:
    return CmpInst::ICMP_NE;
  case arith::CmpIPredicate::slt:
    return CmpInst::ICMP_SLT;
  case arith::CmpIPredicate::sle:
    return CmpInst::ICMP_SLE;
  case arith::CmpIPredicate::sgt:
    return CmpInst::ICMP_SGT;
  case arith::CmpIPredicate::sge:
    return CmpInst::ICMP_SGE;
  case arith::CmpIPredicate::ult:
    return CmpInst::ICMP_ULT;
  case arith::CmpIPredicate::ule:
    return CmpInst::ICMP_ULE;
  case arith::CmpIPredicate::ugt:
    return CmpInst::ICMP_UGT;
  case arith::CmpIPredicate::uge:
    return CmpInst::ICMP_UGE;
  }
  llvm_unreachable("unknown integer predicate");
}

ElementEmitter::Values ElementEmitter::emitInteger() {
  namespace id = llvm::Intrinsic;
  auto binary = [&](Instruction::BinaryOps opcode) -> Values {
    return {b.CreateBinOp(opcode, vec(0), vec(1))};
  };
  auto minMax = [&](id::ID which) -> Values {
    return {intrinsic(which, {vec(0), vec(1)})};
  };
  auto bitCount = [&](id::ID which) -> Values {
    return {intrinsic(which, {vec(0), b.getFalse()})};
  };
  auto index = [&](bool isSigned) -> Values {
    return {b.CreateIntCast(vec(0), resultType(), isSigned)};
  };
  return llvm::TypeSwitch<Operation *, Values>(op)
      .Case([&](arith::AddIOp) { return binary(Instruction::Add); })
      .Case([&](arith::SubIOp) { return binary(Instruction::Sub); })
      .Case([&](arith::MulIOp) { return binary(Instruction::Mul); })
      .Case([&](arith::AndIOp) { return binary(Instruction::And); })
      .Case([&](arith::OrIOp) { return binary(Instruction::Or); })
      .Case([&](arith::XOrIOp) { return binary(Instruction::Xor); })
      .Case([&](arith::ShLIOp) { return Values{shift(Instruction::Shl)}; })
      .Case([&](arith::ShRSIOp) { return Values{shift(Instruction::AShr)}; })
      .Case([&](arith::ShRUIOp) { return Values{shift(Instruction::LShr)}; })
      .Case([&](arith::CmpIOp cmp) -> Values {
        auto predicate = integerPredicate(cmp.getPredicate());
        return {b.CreateICmp(predicate, vec(0), vec(1))};
      })
      .Case([&](arith::SelectOp) { return Values{select()}; })
      .Case([&](arith::MaxSIOp) { return minMax(id::smax); })
      .Case([&](arith::MaxUIOp) { return minMax(id::umax); })
      .Case([&](arith::MinSIOp) { return minMax(id::smin); })
      .Case([&](arith::MinUIOp) { return minMax(id::umin); })
      .Case([&](math::AbsIOp) { return bitCount(id::abs); })
      .Case([&](math::CountLeadingZerosOp) { return bitCount(id::ctlz); })
      .Case([&](math::CountTrailingZerosOp) { return bitCount(id::cttz); })
      .Case([&](math::CtPopOp) -> Values {
        return {intrinsic(id::ctpop, {vec(0)})};
      })
      .Case<arith::ExtSIOp, arith::IndexCastOp>(
          [&](Operation *) { return index(true); })
      .Case<arith::ExtUIOp, arith::TruncIOp, arith::IndexCastUIOp>(
          [&](Operation *) { return index(false); })
      .Case([&](arith::AddUIExtendedOp) -> Values {
        llvm::Value *sum = b.CreateAdd(vec(0), vec(1));
        return {sum, b.CreateICmpULT(sum, vec(0))};
      })
      .Case([&](arith::MulSIExtendedOp) { return extendedMultiply(true); })
      .Case([&](arith::MulUIExtendedOp) { return extendedMultiply(false); })
      .Default([](Operation *) { return Values{}; });
}

} // namespace nereid::codegen
