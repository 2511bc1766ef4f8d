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

/// The largest power of two that divides an integer form without its part along
/// `dim`. Wrapping in its type does not change it.
static int64_t divisibilityBeside(const TileForm &form, unsigned dim) {
  int64_t result = form.base.divisibility();
  for (auto [other, stride] : llvm::enumerate(form.strides))
    if (other != dim)
      result = std::min(result, stride.divisibility());
  for (const TileTerm &term : form.terms)
    result = std::min(result, term.coefficient.divisibility() *
                                  hintOf(term.tensor, "tt.divisibility", 0));
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
  bool isBelow = llvm::is_contained({Predicate::slt, Predicate::sge,
                                     Predicate::ult, Predicate::uge},
                                    compare.getPredicate());
  const TileForm *lhs = forms.of(compare.getLhs());
  const TileForm *rhs = forms.of(compare.getRhs());
  if (!isBelow || !lhs || !rhs || lhs->pointer || rhs->pointer ||
      lhs->strides[dim].constant() != 1 || (lhs->termDims() >> dim & 1) ||
      (rhs->dependsOn() >> dim & 1))
    return hint;
  return std::max(hint, std::min(divisibilityBeside(*lhs, dim),
                                 divisibilityBeside(*rhs, dim)));
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
  // Either the index itself, or one term that is declared to be contiguous (a
  // remainder, say), and nothing else that changes along the dimension.
  bool isIndex = form->strides[dim].constant() == 1;
  if (!isIndex && !form->strides[dim].isZero())
    return 1;
  unsigned runs = 0;
  for (const TileTerm &term : form->terms) {
    if (!(term.dependsOn >> dim & 1))
      continue;
    ++runs;
    int64_t contiguity = 1;
    for (auto [own, source] : llvm::enumerate(term.map))
      if (source.isDim(dim) && term.coefficient.constant() == 1)
        contiguity = hintOf(term.tensor, "tt.contiguity", own);
    count = std::min(count, contiguity);
  }
  if (runs + isIndex != 1)
    return 1;
  count = std::min(count, divisibilityBeside(*form, dim));
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
