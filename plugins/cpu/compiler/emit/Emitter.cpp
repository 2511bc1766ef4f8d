// Emit.cpp - scalars, polynomials and buffers, for every part of the generator.
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
  if (llvm::Value *known = polynomials ? polynomials->find(polynomial) : nullptr)
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

llvm::Value *Emitter::keptPointer(Value value) {
  if (auto result = carriedResults.find(value); result != carriedResults.end())
    return result->second;
  if (auto tile = program.carried.find(value); tile != program.carried.end())
    return buffers.lookup(tile->second.current);
  return buffers.lookup(program.kept.lookup(value));
}

llvm::AllocaInst *Emitter::allocate(llvm::Type *type, const llvm::Twine &name) {
  llvm::IRBuilder<> entry(allocaPoint);
  return entry.CreateAlloca(type, nullptr, name);
}

SmallVector<llvm::Value *> Emitter::elementOp(Operation *op,
                                              ArrayRef<llvm::Value *> in,
                                              unsigned lanes) {
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
  auto *body = llvm::BasicBlock::Create(emitter.context(), "if",
                                        emitter.function);
  auto *next = llvm::BasicBlock::Create(emitter.context(), "endif",
                                        emitter.function);
  emitter.builder.CreateCondBr(condition, body, next);
  emitter.builder.SetInsertPoint(body);
  access();
  emitter.builder.CreateBr(next);
  emitter.builder.SetInsertPoint(next);
}

/// Bytes of an element behind `pointers`.
static int64_t elementSize(Emitter &emitter, Value pointers) {
  auto type = cast<tt::PointerType>(getElementTypeOrSelf(pointers.getType()));
  return Emitter::bytesOf(emitter.memoryType(type.getPointeeType()));
}

namespace {
/// The bytes behind a tile of pointers: `size` of them, from `low` bytes after
/// a scalar pointer.
struct ConstantExtent {
  codegen::Polynomial low;
  int64_t size = 0;
};
} // namespace

/// Nothing if a stride is known only when the program runs.
static std::optional<ConstantExtent> constantExtentOf(Emitter &emitter,
                                                      Value pointers) {
  const codegen::TileForm &form = *emitter.forms.of(pointers);
  auto type = cast<RankedTensorType>(pointers.getType());
  int64_t bytes = elementSize(emitter, pointers), low = 0, high = 0;
  for (auto [dim, stride] : llvm::enumerate(form.strides)) {
    std::optional<int64_t> step = stride.constant();
    int64_t reach;
    if (!step ||
        llvm::MulOverflow(*step, bytes * (type.getDimSize(dim) - 1), reach))
      return std::nullopt;
    if (llvm::AddOverflow(reach < 0 ? low : high, reach,
                          reach < 0 ? low : high))
      return std::nullopt;
  }
  constexpr int64_t kMost = int64_t(1) << 60;
  if (-low > kMost || high > kMost)
    return std::nullopt;
  return ConstantExtent{form.base.scaled(bytes) + codegen::Polynomial(low),
                        high - low + bytes};
}

/// First and one past the last byte that an affine pointer tile points to.
static std::pair<llvm::Value *, llvm::Value *> extentOf(Emitter &emitter,
                                                        Value pointers) {
  llvm::IRBuilder<> &b = emitter.builder;
  const codegen::TileForm &form = *emitter.forms.of(pointers);
  auto type = cast<RankedTensorType>(pointers.getType());
  int64_t size = elementSize(emitter, pointers);
  llvm::Value *low = emitter.polynomial(form.base), *high = low;
  for (auto [dim, stride] : llvm::enumerate(form.strides)) {
    if (stride.isZero())
      continue;
    llvm::Value *reach = b.CreateMul(emitter.polynomial(stride),
                                     b.getInt64(type.getDimSize(dim) - 1));
    low = b.CreateAdd(low, emitter.smaller(reach, b.getInt64(0)));
    high = b.CreateAdd(high, emitter.larger(reach, b.getInt64(0)));
  }
  llvm::Value *base =
      b.CreatePtrToInt(emitter.scalar(form.pointer), b.getInt64Ty());
  auto byte = [&](llvm::Value *element) {
    return b.CreateAdd(base, b.CreateMul(element, b.getInt64(size)));
  };
  return {byte(low), byte(b.CreateAdd(high, b.getInt64(1)))};
}

llvm::Value *emitOverlap(Emitter &emitter, Value a, Value b, bool isInStep) {
  for (Value pointers : {a, b}) {
    const codegen::TileForm *form = emitter.forms.of(pointers);
    if (!form || !form->isAffine())
      return emitter.builder.getTrue();
  }
  llvm::IRBuilder<> &builder = emitter.builder;
  auto fixedA = constantExtentOf(emitter, a);
  auto fixedB = constantExtentOf(emitter, b);
  if (fixedA && fixedB) {
    auto pointer = [&](Value tile) {
      return builder.CreatePtrToInt(
          emitter.scalar(emitter.forms.of(tile)->pointer),
          builder.getInt64Ty());
    };
    // The distance from a to b is above -size of b, in step above 0, and below
    // size of a: one unsigned comparison.
    int64_t lowest = isInStep ? 1 : 1 - fixedB->size;
    codegen::Polynomial offset =
        fixedB->low - fixedA->low - codegen::Polynomial(lowest);
    llvm::Value *distance = builder.CreateAdd(
        builder.CreateSub(pointer(b), pointer(a)), emitter.polynomial(offset));
    return builder.CreateICmpULT(distance,
                                 builder.getInt64(fixedA->size - lowest));
  }
  auto [lowA, highA] = extentOf(emitter, a);
  auto [lowB, highB] = extentOf(emitter, b);
  return builder.CreateAnd(builder.CreateICmpSLT(lowA, highB),
                           builder.CreateICmpSLT(lowB, highA));
}

} // namespace nereid::cpu
