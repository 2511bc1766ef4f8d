// The walk over a module that rewrites what no backend has.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Rewrites.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "nereid/ttir/Dialect.h"

using namespace mlir;

namespace nereid::codegen {

std::optional<Expr> expandOperation(Scope &scope, Operation *op) {
  for (auto expand :
       {expandNarrow, expandConversion, expandMath, expandArithmetic})
    if (std::optional<Expr> result = expand(scope, op))
      return result;
  return {};
}

static bool mayExpand(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return false;
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
         isa<tt::FpToFpOp, tt::ClampFOp, tt::PreciseSqrtOp, tt::PreciseDivFOp,
             tt::ApproxDivFOp, tt::MulhiUIOp>(op);
}

// Only what the kernel itself says may be fused: an expansion is exact in
// every step that it takes apart.
static void allowContraction(Operation *op) {
  if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
    return;
  auto interface = cast<arith::ArithFastMathInterface>(op);
  auto flags = interface.getFastMathFlagsAttr().getValue() |
               arith::FastMathFlags::contract;
  op->setAttr(interface.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(op->getContext(), flags));
}

LogicalResult expandForBackend(ModuleOp module, const ExpandOptions &options) {
  SmallVector<Operation *> work;
  module.walk([&](Operation *op) {
    if (mayExpand(op))
      work.push_back(op);
  });
  Scope scope(module.getContext(), options);
  for (Operation *op : work) {
    if (options.fpFusion)
      allowContraction(op);
    scope.moveTo(op);
    std::optional<Expr> result = expandOperation(scope, op);
    if (!result)
      continue;
    op->getResult(0).replaceAllUsesWith(result->value);
    op->erase();
  }
  return success();
}

} // namespace nereid::codegen
