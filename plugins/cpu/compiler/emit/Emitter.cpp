// Emitter.cpp - scalars, polynomials and buffers, for all of the generator.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/Emitter.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::cpu {

void Emitter::refuse(Operation *op, llvm::StringRef what) {
  if (!failed)
    op->emitError() << what
                    << " is not supported by the cpu backend in stage llir";
  failed = true;
}

static llvm::Value *extreme(llvm::IRBuilder<> &builder, llvm::Intrinsic::ID id,
                            llvm::Value *a, llvm::Value *b) {
  if (a == b)
    return a;
  auto *x = dyn_cast<llvm::ConstantInt>(a), *y = dyn_cast<llvm::ConstantInt>(b);
  if (x && y)
    return (x->getSExtValue() < y->getSExtValue()) ==
                   (id == llvm::Intrinsic::smin)
               ? a
               : b;
  return builder.CreateBinaryIntrinsic(id, a, b);
}

llvm::Value *Emitter::smaller(llvm::Value *a, llvm::Value *b) {
  return extreme(builder, llvm::Intrinsic::smin, a, b);
}

llvm::Value *Emitter::larger(llvm::Value *a, llvm::Value *b) {
  return extreme(builder, llvm::Intrinsic::smax, a, b);
}

llvm::Value *Emitter::unlessFilled(const Buffer *buffer,
                                   llvm::Value *condition) {
  llvm::Value *isFilled = filled.lookup(buffer);
  if (!isFilled)
    return condition;
  llvm::Value *isNot = builder.CreateNot(isFilled);
  return condition ? builder.CreateAnd(condition, isNot) : isNot;
}

llvm::Value *Emitter::poison(Value value) {
  if (!value.getDefiningOp<ub::PoisonOp>())
    return nullptr;
  llvm::IRBuilder<> entry(allocaPoint);
  return entry.CreateFreeze(llvm::PoisonValue::get(typeOf(value)));
}

llvm::Value *Emitter::scalar(Value value) {
  auto known = scalars.find(value);
  if (known != scalars.end())
    return known->second;
  if (llvm::Value *any = poison(value))
    return any;
  Attribute attribute;
  if (matchPattern(value, m_Constant(&attribute)))
    return codegen::emitConstant(attribute, context());
  if (Operation *op = value.getDefiningOp())
    refuse(op, "a use of this scalar before it is computed");
  else
    failed = true;
  return llvm::PoisonValue::get(typeOf(value));
}

PolynomialScope::PolynomialScope(Emitter &emitter)
    : emitter(emitter), outer(emitter.polynomials) {
  emitter.polynomials = this;
}

PolynomialScope::~PolynomialScope() { emitter.polynomials = outer; }

llvm::Value *
PolynomialScope::find(const codegen::Polynomial &polynomial) const {
  for (const PolynomialScope *scope = this; scope; scope = scope->outer)
    for (auto &[known, value] : scope->known)
      if (known == polynomial)
        return value;
  return nullptr;
}

llvm::Value *Emitter::polynomial(const codegen::Polynomial &polynomial) {
  if (llvm::Value *known =
          polynomials ? polynomials->find(polynomial) : nullptr)
    return known;
  llvm::Value *sum = nullptr;
  int64_t constant = 0;
  for (const codegen::Monomial &monomial : polynomial.terms()) {
    if (monomial.factors.empty()) {
      constant = monomial.coefficient;
      continue;
    }
    llvm::Value *product = nullptr;
    for (Value factor : monomial.factors) {
      llvm::Value *wide = scalar(factor);
      wide = wide->getType()->isIntegerTy(1)
                 ? builder.CreateZExt(wide, builder.getInt64Ty())
                 : builder.CreateSExtOrTrunc(wide, builder.getInt64Ty());
      product = product ? builder.CreateMul(product, wide) : wide;
    }
    if (monomial.coefficient != 1)
      product = builder.CreateMul(product, i64(monomial.coefficient));
    sum = sum ? builder.CreateAdd(sum, product) : product;
  }
  if (!sum)
    return i64(constant);
  if (constant)
    sum = builder.CreateAdd(sum, i64(constant));
  if (polynomials)
    polynomials->add(polynomial, sum);
  return sum;
}

llvm::Value *Emitter::bufferPointer(Value value) {
  if (auto result = carriedResults.find(value); result != carriedResults.end())
    return result->second;
  if (auto tile = program.carried.find(value); tile != program.carried.end())
    return buffers.lookup(tile->second.current);
  return buffers.lookup(program.materialized.lookup(value));
}

void emitPrefetch(llvm::IRBuilder<> &b, llvm::Value *place, PrefetchTo to) {
  constexpr int kFirst = 3, kSecond = 2; // how near, as LLVM counts it
  b.CreateIntrinsic(llvm::Intrinsic::prefetch, {place->getType()},
                    {place, b.getInt32(to == PrefetchTo::Write),
                     b.getInt32(to == PrefetchTo::Second ? kSecond : kFirst),
                     b.getInt32(1)});
}

llvm::AllocaInst *Emitter::allocate(llvm::Type *type, const llvm::Twine &name) {
  llvm::IRBuilder<> entry(allocaPoint);
  return entry.CreateAlloca(type, nullptr, name);
}

SmallVector<llvm::Value *>
Emitter::elementOp(Operation *op, ArrayRef<llvm::Value *> in, unsigned lanes) {
  if (!failed) {
    FailureOr<SmallVector<llvm::Value *>> results =
        emitElementOp(builder, op, in, lanes, element);
    if (succeeded(results))
      return *results;
    failed = true;
  }
  SmallVector<llvm::Value *> poison;
  for (Value result : op->getResults()) {
    llvm::Type *type = typeOf(result);
    if (lanes > 1)
      type = llvm::FixedVectorType::get(type, lanes);
    poison.push_back(llvm::PoisonValue::get(type));
  }
  return poison;
}

void emitIf(Emitter &emitter, llvm::Value *condition,
            llvm::function_ref<void()> access) {
  auto *known = dyn_cast_or_null<llvm::ConstantInt>(condition);
  if (!condition || (known && known->isOne()))
    return access();
  if (known)
    return;
  // That of the kernel, or of a product.
  llvm::Function *function = emitter.builder.GetInsertBlock()->getParent();
  auto *body = llvm::BasicBlock::Create(emitter.context(), "if", function);
  auto *next = llvm::BasicBlock::Create(emitter.context(), "endif", function);
  emitter.builder.CreateCondBr(condition, body, next);
  emitter.builder.SetInsertPoint(body);
  access();
  emitter.builder.CreateBr(next);
  emitter.builder.SetInsertPoint(next);
}

} // namespace nereid::cpu
