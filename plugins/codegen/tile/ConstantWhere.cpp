// ConstantWhere.cpp - constants of values where a mask is false.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "tile/ConstantWhere.h"

#include "nereid/ttir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::codegen {

/// The same for `value` at index `map` of the outer index of the condition.
static Attribute constantWhere(Value value, ArrayRef<IndexSource> map,
                               const ConditionAt &condition, TileForms &forms,
                               unsigned depth) {
  auto isFalse = [&](Value mask) {
    return mask && llvm::any_of(conjunctsOf(mask, forms),
                                [&](const MaskConjunct &conjunct) {
                                  return conjunct.in(map) == condition;
                                });
  };
  auto constantOf = [&](Operation *op, unsigned operand) {
    return constantWhere(op->getOperand(operand), operandMap(op, operand, map),
                         condition, forms, depth + 1);
  };
  Attribute attribute;
  if (matchPattern(value, m_Constant(&attribute))) {
    auto dense = dyn_cast<DenseElementsAttr>(attribute);
    if (!dense)
      return attribute;
    return dense.isSplat() ? dense.getSplatValue<Attribute>() : Attribute();
  }
  Operation *op = value.getDefiningOp();
  if (!op || depth > 8)
    return {};
  if (auto load = dyn_cast<tt::LoadOp>(op)) {
    if (!isFalse(load.getMask()))
      return {};
    if (load.getOther())
      return constantOf(load, 2);
    return Builder(op->getContext())
        .getZeroAttr(getElementTypeOrSelf(value.getType()));
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    if (isFalse(select.getCondition()))
      return constantOf(select, 2);
    return {};
  }
  if (isShapeOp(op))
    return constantOf(op, 0);
  // Conversions and products of constants, as in the sum of squares of a masked
  // load. A rounded operation may be contracted with its user.
  if (isa<arith::MulFOp>(op)) {
    auto x = dyn_cast_or_null<FloatAttr>(constantOf(op, 0));
    auto y = dyn_cast_or_null<FloatAttr>(constantOf(op, 1));
    if (!x || !y)
      return {};
    APFloat result = x.getValue();
    if (result.multiply(y.getValue(), APFloat::rmNearestTiesToEven) !=
            APFloat::opOK ||
        result.isNaN())
      return {};
    return FloatAttr::get(x.getType(), result);
  }
  Type element = getElementTypeOrSelf(value.getType());
  if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
    auto source = dyn_cast_or_null<FloatAttr>(constantOf(op, 0));
    if (!source || source.getValue().isNaN())
      return {};
    APFloat result = source.getValue();
    bool isRounded;
    result.convert(cast<FloatType>(element).getFloatSemantics(),
                   APFloat::rmNearestTiesToEven, &isRounded);
    return isRounded ? Attribute() : FloatAttr::get(element, result);
  }
  if (isa<arith::ExtSIOp, arith::ExtUIOp>(op)) {
    auto source = dyn_cast_or_null<IntegerAttr>(constantOf(op, 0));
    if (!source)
      return {};
    unsigned bits = element.getIntOrFloatBitWidth();
    return IntegerAttr::get(element, isa<arith::ExtSIOp>(op)
                                         ? source.getValue().sext(bits)
                                         : source.getValue().zext(bits));
  }
  return {};
}

Attribute constantWhere(Value value, const ConditionAt &condition,
                        TileForms &forms) {
  return constantWhere(value, identityMap(rankOf(value)), condition, forms, 0);
}

} // namespace nereid::codegen
