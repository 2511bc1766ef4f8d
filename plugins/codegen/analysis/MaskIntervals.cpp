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
  SmallVector<int, 4> identity;
  for (unsigned dim = 0; dim < rankOf(mask); ++dim)
    identity.push_back(dim);
  SmallVector<std::pair<Value, SmallVector<int, 4>>> work = {{mask, identity}};
  while (!work.empty()) {
    auto [value, dims] = work.pop_back_val();
    Operation *op = forms.isOpaque(value) ? nullptr : value.getDefiningOp();
    if (op && isa<arith::AndIOp>(op)) {
      work.push_back({op->getOperand(1), dims});
      work.push_back({op->getOperand(0), dims});
      continue;
    }
    if (auto expand = dyn_cast_or_null<tt::ExpandDimsOp>(op)) {
      SmallVector<int, 4> inner(dims.begin(), dims.end());
      inner.erase(inner.begin() + expand.getAxis());
      work.push_back({expand.getSrc(), inner});
      continue;
    }
    if (auto trans = dyn_cast_or_null<tt::TransOp>(op)) {
      SmallVector<int, 4> inner(dims.size());
      for (auto [dim, from] : llvm::enumerate(trans.getOrder()))
        inner[from] = dims[dim];
      work.push_back({trans.getSrc(), inner});
      continue;
    }
    if (auto broadcast = dyn_cast_or_null<tt::BroadcastOp>(op)) {
      SmallVector<int, 4> inner(dims.begin(), dims.end());
      for (auto [dim, size] :
           llvm::enumerate(tileType(broadcast.getSrc()).getShape()))
        if (size == 1)
          inner[dim] = -1;
      work.push_back({broadcast.getSrc(), inner});
      continue;
    }
    if (op && isa<tt::SplatOp>(op)) {
      work.push_back({op->getOperand(0), {}});
      continue;
    }
    MaskConjunct conjunct{value, dims, 0};
    DimSet inner = forms.dependsOn(value);
    for (auto [dim, outer] : llvm::enumerate(dims))
      if ((inner >> dim & 1) && outer >= 0)
        conjunct.dependsOn |= DimSet(1) << outer;
    result.push_back(std::move(conjunct));
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
