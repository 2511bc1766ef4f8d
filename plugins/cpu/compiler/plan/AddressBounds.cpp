// AddressBounds.cpp - interval arithmetic on the addresses of accesses.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/AddressBounds.h"

#include "analysis/Access.h"
#include "plan/TileProgram.h"

using namespace mlir;

namespace nereid::cpu {

/// The element of `tile` at index 0, if no element wraps.
std::optional<WorkValue> AddressBounds::firstElement(Value tile) {
  const codegen::TileForm *form = forms.of(tile);
  if (!form || form->pointer || !form->isAffine() || form->mayWrap ||
      !codegen::tileType(tile))
    return std::nullopt;
  std::optional<Bounds> first = of(form->base);
  std::optional<Bounds> all = elements(*form, tile, {});
  if (!first || !first->isPoint() || !all ||
      all->reach >= mostOf(getElementTypeOrSelf(tile.getType())))
    return std::nullopt;
  return first->low;
}

/// Of an unsigned comparison neither side is negative.
void AddressBounds::requireSigns(const codegen::IntervalBound &bound,
                                 WorkValue lhs, WorkValue rhs) {
  for (const codegen::IntervalBound::Check &check : bound.checks)
    if (!check.isUpper && std::abs(check.limit) < LaunchFormula::kMostExact)
      requireAtLeast(check.side ? rhs : lhs, check.limit);
}

/// The last index along `dim` for which `mask`, or null, may be true.
WorkValue AddressBounds::lastIndex(Value mask, unsigned dim, int64_t size) {
  WorkValue last{size - 1, true};
  if (!mask || !isTile(mask))
    return last;
  for (const codegen::MaskConjunct &conjunct :
       codegen::conjunctsOf(mask, forms)) {
    if (conjunct.dependsOn != codegen::DimSet(1) << dim)
      continue;
    for (auto [own, source] : llvm::enumerate(conjunct.map)) {
      if (!source.isAlong(dim) || source.bits)
        continue;
      auto bound = codegen::intervalOf(conjunct.condition, own, forms);
      if (!bound || !bound->isUpper || bound->stride != 1)
        continue;
      std::optional<WorkValue> lhs = firstElement(bound->lhs);
      std::optional<WorkValue> rhs = firstElement(bound->rhs);
      if (!lhs || !rhs)
        continue;
      requireSigns(*bound, *lhs, *rhs);
      WorkValue limit = formula.subtract(*rhs, *lhs);
      if (!bound->orEqual)
        limit = formula.subtract(limit, {1, true});
      last = formula.min(last, formula.max(limit, {0, true}));
    }
  }
  return last;
}

std::optional<Bounds> AddressBounds::elements(const codegen::TileForm &form,
                                              Value tile, Value mask) {
  std::optional<Bounds> sum = of(form.base);
  auto addProduct = [&](const codegen::Polynomial &coefficient,
                        std::optional<Bounds> by) {
    std::optional<Bounds> a = of(coefficient), product;
    if (sum && a && by)
      product = multiply(*a, *by);
    sum = product ? std::optional(add(*sum, *product)) : std::nullopt;
  };
  for (auto [dim, stride] : llvm::enumerate(form.strides)) {
    if (stride.isZero())
      continue;
    int64_t size = codegen::tileType(tile).getDimSize(dim);
    addProduct(stride,
               Bounds{{0, true}, lastIndex(mask, dim, size), double(size)});
  }
  for (const codegen::TileTerm &term : form.terms) {
    std::optional<Bounds> own;
    if (auto numbers = codegen::numbersOf(term.tensor))
      own = Bounds{{numbers->first, true},
                   {numbers->second, true},
                   double(std::max(-numbers->first, numbers->second))};
    addProduct(term.coefficient, own ? own : remainder(term.tensor));
  }
  return sum;
}

/// The elements of `tile`, of `form`, where side `bound->lhs`, with stride 1
/// along `dim`, is less than the other: they are
///   form - stride * lhs + stride * lhs
/// of which the first two do not depend on an iteration that both depend on.
std::optional<Bounds>
AddressBounds::limitedBy(const codegen::IntervalBound &bound, unsigned own,
                         unsigned dim, const codegen::TileForm &form,
                         Value tile, Value mask) {
  const codegen::TileForm *lhs = forms.of(bound.lhs),
                          *rhs = forms.of(bound.rhs);
  if (!lhs || !rhs || !lhs->isAffine() || lhs->pointer || lhs->mayWrap ||
      lhs->strides[own].constant() != 1 || !rhs->isUniform())
    return std::nullopt;
  std::optional<codegen::Polynomial> shift = form.strides[dim].times(lhs->base);
  std::optional<Bounds> stride = of(form.strides[dim]);
  std::optional<Bounds> first = of(lhs->base), end = of(rhs->base);
  std::optional<Bounds> all = elements(*lhs, bound.lhs, {});
  double most = mostOf(getElementTypeOrSelf(bound.lhs.getType()));
  if (!shift || !stride || !stride->isPoint() || !first || !end || !all ||
      all->reach >= most || end->reach >= most)
    return std::nullopt;
  requireSigns(bound, first->low, end->low);
  codegen::TileForm others = form;
  others.base = form.base - *shift;
  others.strides[dim] = {};
  std::optional<Bounds> rest = elements(others, tile, mask);
  WorkValue last = formula.subtract(end->high, {bound.orEqual ? 0 : 1, true});
  std::optional<Bounds> along =
      multiply(*stride, {first->low, formula.max(last, first->low),
                         std::max(all->reach, end->reach)});
  if (!rest || !along)
    return std::nullopt;
  return add(*rest, *along);
}

/// elements(), where comparisons with what differs in each iteration count too.
std::optional<Bounds> AddressBounds::limited(const codegen::TileForm &form,
                                             Value tile, Value mask) {
  std::optional<Bounds> result = elements(form, tile, mask);
  if (!result || !mask || !isTile(mask) || !form.isAffine())
    return result;
  for (const codegen::MaskConjunct &conjunct :
       codegen::conjunctsOf(mask, forms))
    for (auto [own, source] : llvm::enumerate(conjunct.map)) {
      if (source.kind != codegen::IndexSource::Dim || source.bits ||
          conjunct.dependsOn != codegen::DimSet(1) << source.dim)
        continue;
      auto bound = codegen::intervalOf(conjunct.condition, own, forms);
      if (!bound || !bound->isUpper || bound->stride != 1 ||
          firstElement(bound->lhs))
        continue;
      std::optional<Bounds> other =
          limitedBy(*bound, own, source.dim, form, tile, mask);
      if (!other)
        continue;
      result->low = formula.max(result->low, other->low);
      result->high = formula.min(result->high, other->high);
    }
  return result;
}

/// The elements of `tile`, if it is a remainder.
std::optional<Bounds> AddressBounds::remainder(Value tile) {
  std::optional<codegen::WrapForm> wrap = forms.wrapOf(tile);
  if (!wrap || wrap->value.mayWrap)
    return std::nullopt;
  std::optional<Bounds> value = elements(wrap->value, tile, {});
  std::optional<Bounds> modulus = of(wrap->modulus);
  // Neither may overflow its type.
  double most = mostOf(getElementTypeOrSelf(tile.getType()));
  if (!value || !modulus || !modulus->isPoint() || value->reach >= most ||
      modulus->reach >= most)
    return std::nullopt;
  requireAtLeast(value->low, 0);
  requireAtLeast(modulus->low, 1);
  WorkValue below = formula.subtract(modulus->low, {1, true});
  return Bounds{{0, true}, formula.min(value->high, below), value->reach};
}

std::optional<Bounds> AddressBounds::bytesOf(BlockArgument pointer,
                                             const Bounds &elements) {
  Type pointee = cast<tt::PointerType>(pointer.getType()).getPointeeType();
  int64_t size = isa<tt::PointerType>(pointee)
                     ? 8
                     : std::max(8u, tt::getElementBitWidth(pointee)) / 8;
  double most = double(LaunchFormula::kMostExact) / 2;
  if ((elements.reach + 1) * size >= most)
    return std::nullopt;
  WorkValue address = formula.leaf(
      NEREID_WORK_ARGUMENT, info.arguments[pointer.getArgNumber()].offset,
      sizeof(void *));
  auto byte = [&](WorkValue element, int64_t more) {
    WorkValue bytes = formula.multiply(element, {size, true});
    return formula.add(address, formula.add(bytes, {more, true}));
  };
  // Half of what is exact is for the address, the other for the offset.
  requireAtLeast(address, 0);
  require(formula.subtract({LaunchFormula::kMostExact / 2, true}, address));
  return Bounds{byte(elements.low, 0), byte(elements.high, size), most};
}

WorkValue AddressBounds::distance(const Bounds &a, const Bounds &b) {
  return formula.max(formula.subtract(b.low, a.high),
                     formula.subtract(a.low, b.high));
}

std::optional<Bounds> AddressBounds::ofAccess(Operation *access) {
  codegen::TileOpInfo described = codegen::infoOf(access);
  Value pointers = described.pointers->get();
  const codegen::TileForm *form = forms.of(pointers);
  if (!form || !isArgument(form->pointer))
    return std::nullopt;
  Value mask = described.mask ? described.mask->get() : Value();
  std::optional<Bounds> offset = limited(*form, pointers, mask);
  if (!offset)
    return std::nullopt;
  // What is extended to 64 bits must not overflow before that.
  if (form->mayWrap) {
    require(formula.subtract({INT32_MAX, true}, offset->high));
    requireAtLeast(offset->low, INT32_MIN);
  }
  return bytesOf(cast<BlockArgument>(form->pointer), *offset);
}

std::optional<WorkValue> AddressBounds::distanceOfRows(Operation *store) {
  Value pointers = codegen::infoOf(store).pointers->get();
  const codegen::TileForm *form = forms.of(pointers);
  switch (codegen::selfAliasingOf(pointers, forms)) {
  case codegen::Aliasing::Never:
    return WorkValue{0, true};
  case codegen::Aliasing::Possibly:
    return std::nullopt;
  case codegen::Aliasing::IfClose:
    break;
  }
  // The distance of two rows exceeds the extent of a row, or, where rows are
  // interleaved, that of two columns the extent of a column.
  ArrayRef<int64_t> shape = codegen::tileType(pointers).getShape();
  WorkValue strides[2], extents[2];
  for (unsigned dim = 0; dim < 2; ++dim) {
    std::optional<Bounds> stride = of(form->strides[dim]);
    std::optional<Bounds> extent =
        stride ? multiply(*stride, constant(shape[dim] - 1)) : std::nullopt;
    if (!extent || !stride->isPoint())
      return std::nullopt;
    auto magnitude = [&](WorkValue value) {
      return formula.max(value, formula.subtract({0, true}, value));
    };
    strides[dim] = magnitude(stride->low);
    extents[dim] = magnitude(extent->low);
  }
  auto exceeds = [&](WorkValue a, WorkValue b) {
    return formula.subtract(formula.subtract(a, b), {1, true});
  };
  return formula.max(exceeds(strides[0], extents[1]),
                     formula.min(exceeds(strides[1], extents[0]),
                                 exceeds(strides[0], {0, true})));
}

/// Does it differ between iterations of the loops of a program?
static bool isOfIteration(const codegen::Monomial &monomial) {
  return llvm::any_of(monomial.factors, [](Value factor) {
    return !isa<tt::FuncOp>(factor.getParentBlock()->getParentOp());
  });
}

std::optional<WorkValue> AddressBounds::distanceInLoops(Operation *store,
                                                        unsigned dim) {
  codegen::TileOpInfo described = codegen::infoOf(store);
  Value pointers = described.pointers->get();
  const codegen::TileForm *form = forms.of(pointers);
  if (!form || !form->isAffine())
    return std::nullopt;
  std::optional<Bounds> stride = of(form->strides[dim]);
  codegen::TileForm row = *form;
  row.base = form->base.filtered(isOfIteration);
  row.strides[dim] = {};
  Value mask = described.mask ? described.mask->get() : Value();
  std::optional<Bounds> places = limited(row, pointers, mask);
  if (!stride || !stride->isPoint() || !places)
    return std::nullopt;
  WorkValue opposite = formula.subtract({0, true}, stride->low);
  WorkValue extent = formula.subtract(places->high, places->low);
  return formula.subtract(
      formula.subtract(formula.max(stride->low, opposite), extent), {1, true});
}

} // namespace nereid::cpu
