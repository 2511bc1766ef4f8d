// DivisionPlan.cpp - divisions in addresses, which divide an axis into pieces.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "tile/MaskPlan.h"
#include "tile/Ops.h"

using namespace mlir;

namespace nereid::codegen {

bool changesAlong(unsigned axis, Value tile, ArrayRef<IndexSource> map,
                  TileForms &forms) {
  DimSet depends = forms.dependsOn(tile);
  for (auto [dim, source] : llvm::enumerate(map))
    if ((depends >> dim & 1) && source.isAlong(axis))
      return true;
  return false;
}

void MaskPlanner::addDivisions(const MaskedAccess &access,
                               int64_t leastDivisor) {
  plan.leastDivisor = leastDivisor;
  const TileForm *form = forms.of(access.pointers);
  if (!form)
    return;
  llvm::SmallPtrSet<Operation *, 16> seen;
  for (const TileTerm &term : form->terms)
    addDivisionsIn(term.tensor, compose(term.map, access.map), seen);
}

/// Adds `value`, or the divisions that it is computed from element by element:
/// an index that is kept in bounds, or mirrored at them. Other terms may be
/// anything, such as what is read from memory.
void MaskPlanner::addDivisionsIn(Value value, const IndexMap &map,
                                 llvm::SmallPtrSetImpl<Operation *> &seen) {
  Operation *op = value.getDefiningOp();
  if (addDivision(value, map) || !op || !isElementOp(op) ||
      forms.isOpaque(value) || !seen.insert(op).second)
    return;
  for (Value operand : op->getOperands())
    if (tileType(operand))
      addDivisionsIn(operand, map, seen);
}

/// Is `mask` (null: always) true wherever all conditions of the plan are?
bool MaskPlanner::isImplied(Value mask, const IndexMap &map) {
  return !mask || llvm::all_of(conjunctsOf(mask, forms),
                               [&](const MaskConjunct &conjunct) {
                                 return llvm::is_contained(
                                     plan.conditions,
                                     PlannedCondition{conjunct.in(map), {}});
                               });
}

/// Is `value` the same in a piece in which all conditions are true, also if it
/// is in memory now? What is loaded from one address is: a load of a tile
/// happens as a whole.
bool MaskPlanner::isConstant(Value value, const IndexMap &map) {
  if (!tileType(value) || !changesAlong(axis, value, map, forms))
    return true;
  if (addDivision(value, map) == 0)
    return true;
  Operation *op = value.getDefiningOp();
  if (auto load = dyn_cast_or_null<tt::LoadOp>(op))
    return !load.getIsVolatile() && isImplied(load.getMask(), map) &&
           isConstant(load.getPtr(), map);
  return op && isElementOp(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isConstant(operand, map); });
}

std::optional<Polynomial>
MaskPlanner::strideInPiece(const MaskedAccess &access) {
  const TileForm *form = forms.of(access.pointers);
  if (!form)
    return std::nullopt;
  Polynomial stride;
  for (auto [dim, source] : llvm::enumerate(access.map)) {
    if (!source.isAlong(axis))
      continue;
    if (source.kind != IndexSource::Dim)
      return std::nullopt;
    stride = stride + form->strides[dim];
  }
  for (const TileTerm &term : form->terms) {
    IndexMap map = compose(term.map, access.map);
    if (std::optional<int64_t> own = addDivision(term.tensor, map))
      stride = stride + term.coefficient.scaled(*own);
    else if (isConstant(term.tensor, map))
      plan.constants.push_back({term.tensor, map});
    else
      return std::nullopt;
  }
  return stride;
}

bool MaskPlanner::endPieces(int64_t extent) const {
  return llvm::any_of(plan.divisions, [&](const PlannedDivision &division) {
    APInt divisor;
    return !division.isRemainder ||
           (matchPattern(division.value.getDefiningOp()->getOperand(1),
                         m_ConstantInt(&divisor)) &&
            divisor.slt(extent));
  });
}

void MaskPlanner::addTwin(Value value, const IndexMap &map) {
  Operation *op = value.getDefiningOp();
  bool isTwin =
      op && llvm::any_of(plan.divisions, [&](const auto &known) {
        return known.map == map &&
               known.value.getDefiningOp()->getOperands() == op->getOperands();
      });
  if (isTwin)
    (void)addDivision(value, map);
}

/// What `value` grows by in a piece, if it is constant there but for that.
std::optional<int64_t> MaskPlanner::addDivision(Value value,
                                                const IndexMap &map) {
  if (hasOther(map))
    return std::nullopt;
  if (!changesAlong(axis, value, map, forms))
    return 0;
  for (const PlannedDivision &known : plan.divisions)
    if (known.value == value && known.map == map)
      return known.stride();
  Operation *op = value.getDefiningOp();
  if (!op || !tileType(value) || forms.isOpaque(value) || !isReady(value) ||
      !isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return std::nullopt;
  Value divisor = op->getOperand(1);
  if (changesAlong(axis, divisor, map, forms))
    return std::nullopt;
  size_t known = plan.divisions.size();
  std::optional<PlannedDivision> division = dividendOf(op->getOperand(0), map);
  APInt constant;
  bool isSmall = matchPattern(divisor, m_ConstantInt(&constant)) &&
                 constant.slt(plan.leastDivisor);
  if (!division || (division->grows && isSmall)) {
    plan.divisions.truncate(known);
    return std::nullopt;
  }
  division->value = value;
  division->map = map;
  division->isRemainder = isa<arith::RemSIOp, arith::RemUIOp>(op);
  plan.divisions.push_back(*division);
  return division->stride();
}

/// How `tile` at the index `map` grows in a piece, and up to what.
std::optional<PlannedDivision> MaskPlanner::dividendOf(Value tile,
                                                       IndexMap map) {
  // Sign extensions have the values of their source.
  while (auto extension = forms.isOpaque(tile)
                              ? nullptr
                              : tile.getDefiningOp<arith::ExtSIOp>()) {
    if (getElementTypeOrSelf(extension.getIn().getType()).isInteger(1))
      break;
    tile = extension.getIn();
  }
  PlannedDivision result;
  auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(tile.getType()));
  if (!element || element.getWidth() > 64)
    return std::nullopt;
  result.mostDividend = llvm::maxIntN(element.getWidth());
  if (!changesAlong(axis, tile, map, forms))
    return result;
  const TileForm *form = forms.of(tile);
  if (!form || form->pointer)
    return std::nullopt;
  int64_t stride = 0;
  for (auto [dim, source] : llvm::enumerate(map)) {
    if (!source.isAlong(axis))
      continue;
    std::optional<int64_t> own = form->strides[dim].constant();
    if (!own || source.kind != IndexSource::Dim || (form->mayWrap >> dim & 1))
      return std::nullopt;
    stride += *own;
  }
  for (const TileTerm &term : form->terms) {
    std::optional<int64_t> own =
        addDivision(term.tensor, compose(term.map, map));
    if (!own)
      return std::nullopt;
    if (*own && term.coefficient.constant() != 1)
      return std::nullopt;
    stride += *own;
  }
  if (stride != 0 && stride != 1)
    return std::nullopt;
  result.grows = stride == 1;
  return result;
}

} // namespace nereid::codegen
