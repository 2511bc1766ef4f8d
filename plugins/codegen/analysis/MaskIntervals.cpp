// MaskIntervals.cpp - masks taken apart, and comparisons as intervals.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "analysis/MaskIntervals.h"

#include "nereid/ttir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"

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

std::optional<IntervalBound> intervalOf(Value condition, unsigned axis,
                                        TileForms &forms) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || forms.isOpaque(condition) || axis >= rankOf(condition))
    return std::nullopt;
  const TileForm *found = forms.of(compare.getLhs());
  if (!found)
    return std::nullopt;
  TileForm difference = *found;
  found = forms.of(compare.getRhs());
  if (!found || difference.pointer || found->pointer ||
      !difference.add(*found, -1) ||
      (difference.termDims() >> axis & 1))
    return std::nullopt;
  std::optional<int64_t> stride = difference.strides[axis].constant();
  if (!stride || *stride == 0)
    return std::nullopt;

  IntervalBound bound;
  bound.difference = std::move(difference);
  bound.stride = *stride;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::slt:
    break;
  case arith::CmpIPredicate::sle:
    bound.orEqual = true;
    break;
  case arith::CmpIPredicate::sgt:
    bound.negated = true;
    break;
  case arith::CmpIPredicate::sge:
    bound.negated = bound.orEqual = true;
    break;
  default:
    // Unsigned comparisons need to know that neither side wraps around.
    return std::nullopt;
  }
  bound.isUpper = bound.negated != (bound.stride > 0);
  return bound;
}

} // namespace nereid::codegen
