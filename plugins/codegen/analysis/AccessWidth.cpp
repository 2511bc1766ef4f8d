// AccessWidth.cpp - the widest access along a dimension.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "analysis/Access.h"
#include "analysis/Divisibility.h"
#include "analysis/MaskIntervals.h"

#include "nereid/ttir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace nereid::codegen {

/// The value of the hint `name` on the operation of `value` for a dimension; 1
/// without a hint.
static int64_t hintOf(Value value, StringRef name, unsigned dim) {
  Operation *op = value.getDefiningOp();
  Attribute hint = op ? op->getDiscardableAttr(name) : Attribute();
  int64_t number = 1;
  if (auto all = dyn_cast_or_null<IntegerAttr>(hint))
    number = all.getInt();
  else if (auto each = dyn_cast_or_null<DenseIntElementsAttr>(hint);
           each && dim < each.size())
    number = (*(each.begin() + dim)).getSExtValue();
  return number > 0 ? powerOfTwoIn(number) : 1;
}

static int64_t divisibilityBeside(const TileForm &form, unsigned dim,
                                  TileForms &forms);

/// The size of aligned groups of indices along `dim` in which the remainders
/// `tensor` ascend by one, each from a multiple of that size: the modulus is a
/// multiple of it too, so that no group wraps.
static int64_t remainderRun(Value tensor, unsigned dim, TileForms &forms) {
  std::optional<WrapForm> wrap = forms.wrapOf(tensor);
  if (!wrap || wrap->isClamped || wrap->value.strides[dim].constant() != 1 ||
      wrap->value.mayWrap >> dim & 1)
    return 1;
  return std::min(divisibilityBeside(wrap->value, dim, forms),
                  wrap->modulus.divisibility());
}

/// The dimension of the tensor of `term` that is `dim` of its form.
static std::optional<unsigned> dimensionIn(const TileTerm &term, unsigned dim) {
  for (auto [own, source] : llvm::enumerate(term.map))
    if (source.isDim(dim))
      return own;
  return std::nullopt;
}

/// The largest power of two that divides an integer form without its part along
/// `dim`; of a term along `dim` that ascends in groups, where a group starts.
/// Wrapping in its type does not change it.
static int64_t divisibilityBeside(const TileForm &form, unsigned dim,
                                  TileForms &forms) {
  int64_t result = form.base.divisibility();
  for (auto [other, stride] : llvm::enumerate(form.strides))
    if (other != dim)
      result = std::min(result, stride.divisibility());
  for (const TileTerm &term : form.terms) {
    int64_t own = hintOf(term.tensor, "tt.divisibility", 0);
    if (auto along = dimensionIn(term, dim))
      own = std::max(own, remainderRun(term.tensor, *along, forms));
    result = std::min(result, term.coefficient.divisibility() * own);
  }
  return result;
}

/// The size of aligned groups of indices in which a comparison is constant: it
/// changes only where `lhs` reaches `rhs`.
static int64_t constancyOf(Value condition, unsigned dim, TileForms &forms) {
  int64_t hint = hintOf(condition, "tt.constancy", dim);
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || forms.isOpaque(condition))
    return hint;
  using Predicate = arith::CmpIPredicate;
  bool isBelow = llvm::is_contained(
      {Predicate::slt, Predicate::sge, Predicate::ult, Predicate::uge},
      compare.getPredicate());
  const TileForm *lhs = forms.of(compare.getLhs());
  const TileForm *rhs = forms.of(compare.getRhs());
  if (!isBelow || !lhs || !rhs || lhs->pointer || rhs->pointer ||
      lhs->strides[dim].constant() != 1 || (lhs->termDims() >> dim & 1) ||
      (rhs->dependsOn() >> dim & 1))
    return hint;
  return std::max(hint, std::min(divisibilityBeside(*lhs, dim, forms),
                                 divisibilityBeside(*rhs, dim, forms)));
}

int64_t widestAccess(Value pointers, Value mask, unsigned dim, int64_t bytes,
                     TileForms &forms) {
  auto pointee = cast<tt::PointerType>(getElementTypeOrSelf(pointers.getType()))
                     .getPointeeType();
  int64_t unit = std::max(8u, tt::getElementBitWidth(pointee)) / 8;
  const TileForm *form = forms.of(pointers);
  if (!form || bytes < unit)
    return 1;
  int64_t count = std::min(tileType(pointers).getDimSize(dim), bytes / unit);
  // Either the index itself, or one term that is contiguous (a remainder, say)
  // by itself or by a hint, and nothing else that changes along the dimension.
  bool isIndex = form->strides[dim].constant() == 1;
  if (!isIndex && !form->strides[dim].isZero())
    return 1;
  unsigned runs = 0;
  for (const TileTerm &term : form->terms) {
    if (!(term.dependsOn >> dim & 1))
      continue;
    ++runs;
    int64_t contiguity = 1;
    std::optional<unsigned> own = dimensionIn(term, dim);
    if (own && term.coefficient.constant() == 1)
      contiguity = std::max(hintOf(term.tensor, "tt.contiguity", *own),
                            remainderRun(term.tensor, *own, forms));
    count = std::min(count, contiguity);
  }
  if (runs + isIndex != 1)
    return 1;
  count = std::min(count, divisibilityBeside(*form, dim, forms));
  count = std::min(count, divisibilityOf(form->pointer) / unit);
  if (mask)
    for (const MaskConjunct &conjunct : conjunctsOf(mask, forms)) {
      if (!(conjunct.dependsOn >> dim & 1))
        continue;
      int64_t constancy = 1;
      for (auto [own, source] : llvm::enumerate(conjunct.map))
        if (source.isDim(dim))
          constancy = constancyOf(conjunct.condition, own, forms);
      count = std::min(count, constancy);
    }
  return count < 1 ? 1 : llvm::bit_floor(uint64_t(count));
}

} // namespace nereid::codegen
