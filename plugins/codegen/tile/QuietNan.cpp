// QuietNan.cpp - values that are never signalling NaN.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "tile/QuietNan.h"

#include "analysis/IndexMap.h"
#include "nereid/ttir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::codegen {

/// The tile whose elements `argument`, of the region of a reduction to one
/// operation, is combined from; null if it is another argument.
static Value reducedBy(BlockArgument argument) {
  auto reduce = dyn_cast<tt::ReduceOp>(argument.getOwner()->getParentOp());
  if (!reduce || reduce->getNumOperands() != 1)
    return {};
  Block &body = *argument.getOwner();
  bool isOne =
      llvm::hasSingleElement(body.without_terminator()) &&
      body.getTerminator()->getOperand(0).getDefiningOp() == &body.front();
  return isOne ? reduce->getOperand(0) : Value();
}

bool isNeverSignalling(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    // Combined are elements, and what was combined before.
    Value tile = reducedBy(argument);
    return tile && isNeverSignalling(tile);
  }
  Operation *op = value.getDefiningOp();
  FloatAttr number;
  if (matchPattern(value, m_Constant(&number)))
    return !number.getValue().isSignaling();
  DenseFPElementsAttr numbers;
  if (matchPattern(value, m_Constant(&numbers)))
    return numbers.isSplat() && !numbers.getSplatValue<APFloat>().isSignaling();
  if (isShapeOp(op))
    return isNeverSignalling(op->getOperand(0));
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return isNeverSignalling(select.getTrueValue()) &&
           isNeverSignalling(select.getFalseValue());
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             math::FmaOp, math::SqrtOp, arith::SIToFPOp, arith::UIToFPOp,
             tt::DotOp>(op);
}

} // namespace nereid::codegen
