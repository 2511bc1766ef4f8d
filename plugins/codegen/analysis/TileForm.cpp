// TileForm.cpp - the forms of tiles, from the operations that make them.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "analysis/TileForm.h"

#include "nereid/ttir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::codegen {

bool TileForm::isUniform() const {
  return terms.empty() &&
         llvm::all_of(strides, [](const Polynomial &s) { return s.isZero(); });
}

DimSet TileForm::termDims() const {
  DimSet result = 0;
  for (const TileTerm &term : terms)
    result |= term.dependsOn;
  return result;
}

DimSet TileForm::dependsOn() const {
  DimSet result = termDims();
  for (auto [dim, stride] : llvm::enumerate(strides))
    if (!stride.isZero())
      result |= DimSet(1) << dim;
  return result;
}

bool TileForm::operator==(const TileForm &other) const {
  return pointer == other.pointer && base == other.base &&
         llvm::equal(strides, other.strides) &&
         terms.size() == other.terms.size() &&
         llvm::all_of(llvm::zip(terms, other.terms), [](auto pair) {
           auto &[a, b] = pair;
           return a.tensor == b.tensor && a.map == b.map &&
                  a.coefficient == b.coefficient;
         });
}

std::optional<std::pair<int64_t, int64_t>>
TileForm::range(ArrayRef<int64_t> shape) const {
  std::optional<int64_t> low = base.constant();
  if (pointer || !low)
    return std::nullopt;
  int64_t high = *low;
  auto add = [&](const Polynomial &factor, int64_t first, int64_t last) {
    std::optional<int64_t> by = factor.constant();
    if (!by || llvm::MulOverflow(*by, first, first) ||
        llvm::MulOverflow(*by, last, last))
      return false;
    if (first > last)
      std::swap(first, last);
    return !llvm::AddOverflow(*low, first, *low) &&
           !llvm::AddOverflow(high, last, high);
  };
  for (auto [stride, size] : llvm::zip(strides, shape))
    if (!add(stride, 0, size - 1))
      return std::nullopt;
  for (const TileTerm &term : terms) {
    auto numbers = numbersOf(term.tensor);
    if (!numbers || !add(term.coefficient, numbers->first, numbers->second))
      return std::nullopt;
  }
  return std::pair(*low, high);
}

bool TileForm::add(const TileForm &other, const Polynomial &factor) {
  mayWrap |= other.mayWrap;
  auto added = other.base.times(factor);
  if (!added)
    return false;
  base = base + *added;
  for (auto [mine, theirs] : llvm::zip(strides, other.strides)) {
    auto stride = theirs.times(factor);
    if (!stride)
      return false;
    mine = mine + *stride;
  }
  for (TileTerm term : other.terms) {
    auto coefficient = term.coefficient.times(factor);
    if (!coefficient)
      return false;
    term.coefficient = *coefficient;
    auto same = llvm::find_if(terms, [&](const TileTerm &mine) {
      return mine.tensor == term.tensor && mine.map == term.map;
    });
    if (same == terms.end()) {
      terms.push_back(std::move(term));
      continue;
    }
    same->coefficient = same->coefficient + term.coefficient;
    if (same->coefficient.isZero())
      terms.erase(same);
  }
  return true;
}

static bool isPointer(Type type) {
  return isa<tt::PointerType>(getElementTypeOrSelf(type));
}

static bool isInteger(Type type) {
  return getElementTypeOrSelf(type).isIntOrIndex();
}

/// Does `op` make pointers to elements of as many bytes? Those to truth values
/// become such to bytes before they are accessed.
static bool isSamePointer(Operation *op) {
  auto bits = [](Type type) -> unsigned {
    auto pointer = dyn_cast<tt::PointerType>(getElementTypeOrSelf(type));
    return pointer
               ? std::max(8u, tt::getElementBitWidth(pointer.getPointeeType()))
               : 0;
  };
  unsigned from = bits(op->getOperand(0).getType());
  return from && from == bits(op->getResult(0).getType());
}

const TileForm *TileForms::of(Value value) {
  if (!isPointer(value.getType()) && !isInteger(value.getType()))
    return nullptr;
  if (auto known = forms.find(value); known != forms.end())
    return known->second.get();
  std::optional<TileForm> form = compute(value);
  auto kept = form ? std::make_unique<TileForm>(std::move(*form)) : nullptr;
  return (forms[value] = std::move(kept)).get();
}

TileForm TileForms::opaque(Value value) {
  TileForm form;
  form.strides.resize(rankOf(value));
  TileTerm term;
  term.coefficient = 1;
  term.tensor = value;
  term.map = identityMap(rankOf(value));
  term.dependsOn = dependsOn(value);
  form.terms.push_back(std::move(term));
  return form;
}

std::optional<TileForm> TileForms::compute(Value value) {
  if (!tileType(value))
    return computeScalar(value);
  std::optional<TileForm> form;
  if (Operation *op = value.getDefiningOp(); op && !isOpaque(value)) {
    form = computeShape(op);
    if (!form)
      form = combine(op);
  }
  if (!form && isInteger(value.getType()))
    form = opaque(value);
  if (!form)
    return std::nullopt;
  for (auto [dim, size] : llvm::enumerate(tileType(value).getShape()))
    if (size == 1)
      form->strides[dim] = Polynomial();
  return form;
}

std::optional<TileForm> TileForms::computeScalar(Value value) {
  TileForm form;
  if (!isPointer(value.getType())) {
    form.base = Polynomial::of(value);
    return form;
  }
  // A chain of scalar addptr of one pointee.
  while (auto add = value.getDefiningOp<tt::AddPtrOp>()) {
    Value offset = add.getOffset();
    Polynomial by = Polynomial::of(offset);
    if (by.mayWrapIn(offset.getType().getIntOrFloatBitWidth()))
      by = Polynomial::symbol(offset);
    form.base = form.base + by;
    value = add.getPtr();
  }
  form.pointer = value;
  return form;
}

std::optional<TileForm> TileForms::combine(Operation *op) {
  if (isa<arith::ExtSIOp>(op))
    return extend(op->getOperand(0));
  if (isa<tt::BitcastOp>(op) && isSamePointer(op)) {
    const TileForm *source = of(op->getOperand(0));
    return source ? std::optional(*source) : std::nullopt;
  }
  bool isAdd = isa<arith::AddIOp, tt::AddPtrOp>(op);
  if (!isAdd && !isa<arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op))
    return std::nullopt;
  const TileForm *found = of(op->getOperand(0));
  if (!found)
    return std::nullopt;
  TileForm lhs = *found;
  found = of(op->getOperand(1));
  if (!found)
    return std::nullopt;
  TileForm rhs = *found;
  if (isa<tt::AddPtrOp>(op))
    rhs = extend(op->getOperand(1)).value_or(opaque(op->getOperand(1)));

  if (isAdd || isa<arith::SubIOp>(op)) {
    if (!lhs.add(rhs, isAdd ? 1 : -1))
      return std::nullopt;
    return lhs;
  }
  TileForm result;
  result.strides.resize(lhs.strides.size());
  if (isa<arith::ShLIOp>(op)) {
    std::optional<int64_t> bits = rhs.base.constant();
    if (!rhs.isUniform() || !bits || *bits < 0 || *bits >= 62 ||
        !result.add(lhs, Polynomial(int64_t(1) << *bits)))
      return std::nullopt;
    return result;
  }
  if (!rhs.isUniform())
    std::swap(lhs, rhs);
  if (!rhs.isUniform() || !result.add(lhs, rhs.base))
    return std::nullopt;
  return result;
}

DimSet TileForms::dependsOn(Value value) {
  RankedTensorType type = tileType(value);
  if (!type)
    return 0;
  auto known = dependence.find(value);
  if (known != dependence.end())
    return known->second;

  DimSet all = 0;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (size != 1)
      all |= DimSet(1) << dim;
  DimSet result = all;
  Operation *op = value.getDefiningOp();
  DenseElementsAttr dense;
  if (op && matchPattern(op, m_Constant(&dense)) && dense.isSplat()) {
    result = 0;
  } else if (op && isShapeOp(op)) {
    result = mapDims(dependsOn(op->getOperand(0)),
                     operandMap(op, 0, identityMap(type.getRank())), all);
  } else if (op && op->getNumRegions() == 0 &&
             (op->hasTrait<OpTrait::Elementwise>() ||
              isa<tt::AddPtrOp, tt::LoadOp, tt::BitcastOp, tt::FpToFpOp,
                  tt::IntToPtrOp, tt::PtrToIntOp, tt::MulhiUIOp>(op)) &&
             !op->getOperands().empty()) {
    result = 0;
    for (Value operand : op->getOperands())
      result |= dependsOn(operand);
  }
  result &= all;
  dependence[value] = result;
  return result;
}

std::optional<WrapForm> TileForms::wrapOf(Value value) {
  Operation *op = value.getDefiningOp();
  bool isClamped = false;
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op)) {
    auto below = select.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!below || below.getPredicate() != arith::CmpIPredicate::slt ||
        below.getLhs() != select.getTrueValue() ||
        !matchPattern(select.getFalseValue(), m_Zero()))
      return std::nullopt;
    isClamped = true;
    op = below;
  }
  if (!isClamped && !isa_and_nonnull<arith::RemSIOp, arith::RemUIOp>(op))
    return std::nullopt;
  const TileForm *modulus = of(op->getOperand(1));
  if (!modulus || !modulus->isUniform())
    return std::nullopt;
  Polynomial m = modulus->base;
  const TileForm *form = of(op->getOperand(0));
  if (!form || !form->isAffine())
    return std::nullopt;
  return WrapForm{*form, m, isClamped};
}

TileForm TileForms::unwrapped(const TileForm &form) {
  TileForm result = form;
  result.terms.clear();
  for (const TileTerm &term : form.terms) {
    std::optional<WrapForm> wrap = wrapOf(term.tensor);
    std::optional<TileForm> value;
    if (wrap && llvm::popcount(dependsOn(term.tensor)) <= 1)
      value = formAt(wrap->value, term.map, form.strides.size());
    TileForm sum = result;
    if (value && sum.add(*value, term.coefficient))
      result = std::move(sum);
    else
      result.terms.push_back(term);
  }
  return result;
}

std::optional<Polynomial> TileForms::strideUnlessWrapped(const TileForm &form,
                                                         unsigned dim) {
  TileForm plain = unwrapped(form);
  if (plain.termDims() >> dim & 1)
    return std::nullopt;
  return plain.strides[dim];
}

} // namespace nereid::codegen
