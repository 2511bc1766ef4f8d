// MaskIntervals.cpp - conjuncts of masks, and comparisons as intervals.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "analysis/MaskIntervals.h"

#include "nereid/codegen/Magnitude.h"
#include "nereid/ttir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::codegen {

SmallVector<MaskConjunct, 4> conjunctsOf(Value mask, TileForms &forms) {
  SmallVector<MaskConjunct, 4> result;
  unsigned rank = rankOf(mask);
  SmallVector<std::pair<Value, IndexMap>> work = {{mask, identityMap(rank)}};
  while (!work.empty()) {
    auto [value, map] = work.pop_back_val();
    Operation *op = forms.isOpaque(value) ? nullptr : value.getDefiningOp();
    if (op && isa<arith::AndIOp>(op)) {
      work.push_back({op->getOperand(1), map});
      work.push_back({op->getOperand(0), map});
      continue;
    }
    if (op && isShapeOp(op))
      if (IndexMap inner = operandMap(op, 0, map); !hasOther(inner)) {
        work.push_back({op->getOperand(0), inner});
        continue;
      }
    DimSet depends = mapDims(forms.dependsOn(value), map, ~DimSet(0));
    result.push_back({{value, map}, depends});
  }
  return result;
}

std::optional<Progression> progressionOf(Value tile, unsigned axis,
                                         TileForms &forms) {
  // Sign extensions and shape operations have the values of their source.
  IndexMap map = identityMap(rankOf(tile));
  while (Operation *op = forms.isOpaque(tile) ? nullptr : tile.getDefiningOp()) {
    bool isExtension = isa<arith::ExtSIOp>(op) &&
                       !getElementTypeOrSelf(op->getOperand(0)).isInteger(1);
    if (!isExtension && !isShapeOp(op))
      break;
    IndexMap inner = operandMap(op, 0, map);
    if (hasOther(inner))
      break;
    tile = op->getOperand(0);
    map = std::move(inner);
  }
  Progression result;
  Type element = getElementTypeOrSelf(tile);
  if (element.isInteger())
    result.bits = element.getIntOrFloatBitWidth();
  result.valueBits = element.isInteger() ? signedBitsOf(tile) : 64;
  result.isInRange = true;
  const TileForm *form = result.bits > 64 ? nullptr : forms.of(tile);
  std::optional<std::pair<int64_t, int64_t>> range;
  if (form && !form->pointer && tileType(tile))
    range = form->range(tileType(tile).getShape());
  bool fits = range && llvm::isIntN(result.bits, range->first) &&
              llvm::isIntN(result.bits, range->second);
  if (fits && !form->mayWrap)
    result.isNonNegative = range->first >= 0;
  if (!(mapDims(forms.dependsOn(tile), map, ~DimSet(0)) >> axis & 1))
    return result;
  const IndexSource *own =
      llvm::find_if(map, [&](IndexSource s) { return s.isAlong(axis); });
  unsigned dim = own - map.begin();
  if (!form || form->pointer || own->kind != IndexSource::Dim ||
      ((form->termDims() | form->mayWrap) >> dim & 1))
    return std::nullopt;
  std::optional<int64_t> stride = form->strides[dim].constant();
  if (!stride)
    return std::nullopt;
  // Strides wrap in the type. A tile that covers half of the type's values has
  // no interval.
  result.stride = llvm::SignExtend64(*stride, result.bits);
  ArrayRef<int64_t> shape = tileType(tile).getShape();
  int64_t span;
  if (llvm::MulOverflow<int64_t>(result.stride, shape[dim], span) ||
      !llvm::isIntN(result.bits, span))
    return std::nullopt;
  span -= result.stride;
  // Values of fewer bits than the type has did not wrap in it.
  result.isInRange = range ? fits : span == 0 || result.valueBits < result.bits;
  result.leastNonNegative = std::max<int64_t>(0, -span);
  result.limit = (span < 0 ? llvm::minIntN(result.bits)
                           : llvm::maxIntN(result.bits)) -
                 span;
  return result;
}

std::optional<IntervalBound> intervalOf(Value condition, unsigned axis,
                                        TileForms &forms) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || forms.isOpaque(condition) || axis >= rankOf(condition))
    return std::nullopt;
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  auto isOneOf = [&](std::initializer_list<Predicate> these) {
    return llvm::is_contained(these, predicate);
  };
  if (isOneOf({Predicate::eq, Predicate::ne}))
    return std::nullopt;
  bool isGreater = isOneOf(
      {Predicate::sgt, Predicate::sge, Predicate::ugt, Predicate::uge});
  bool isUnsigned = isOneOf(
      {Predicate::ult, Predicate::ule, Predicate::ugt, Predicate::uge});
  IntervalBound bound;
  bound.orEqual = isOneOf(
      {Predicate::sle, Predicate::sge, Predicate::ule, Predicate::uge});
  bound.lhs = compare.getLhs();
  bound.rhs = compare.getRhs();
  std::optional<Progression> sides[] = {progressionOf(bound.lhs, axis, forms),
                                        progressionOf(bound.rhs, axis, forms)};
  if (!sides[0] || !sides[1])
    return std::nullopt;
  int64_t span;
  if (llvm::SubOverflow(sides[0]->stride, sides[1]->stride, bound.stride) ||
      llvm::MulOverflow(bound.stride, tileType(condition).getDimSize(axis),
                        span) ||
      span == INT64_MIN || bound.stride == 0) // its magnitude overflows, too
    return std::nullopt;
  for (auto [number, side] : llvm::enumerate(sides)) {
    // As unsigned numbers negative ones are above all others.
    if (isUnsigned && side->isNonNegative == false)
      return std::nullopt;
    bool isLimited = isUnsigned && !side->isNonNegative;
    if (isLimited)
      bound.checks.push_back({unsigned(number), false, side->leastNonNegative});
    // What does not fall below 0 stays in its type.
    if (!side->isInRange && !(isLimited && side->stride < 0))
      bound.checks.push_back({unsigned(number), side->stride > 0, side->limit});
  }
  // With room for a stride.
  constexpr unsigned kNarrowBits = 62;
  bound.isNarrow = sides[0]->valueBits <= kNarrowBits &&
                   sides[1]->valueBits <= kNarrowBits &&
                   llvm::isInt<kNarrowBits>(bound.stride);
  bound.isUpper = isGreater != (bound.stride > 0);
  return bound;
}

} // namespace nereid::codegen
