// The walk over a module that rewrites what no backend has.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Rewrites.h"
#include "Structured.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "nereid/ttir/Dialect.h"

using namespace mlir;

namespace nereid::codegen {

std::optional<Expr> expandOperation(Scope &scope, Operation *op) {
  for (auto expand : {expandExtern, expandNarrow, expandConversion, expandMath,
                      expandArithmetic, expandInteger})
    if (std::optional<Expr> result = expand(scope, op))
      return result;
  return {};
}

static bool mayExpand(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return false;
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
         isa<tt::FpToFpOp, tt::ClampFOp, tt::PreciseSqrtOp, tt::PreciseDivFOp,
             tt::ApproxDivFOp, tt::MulhiUIOp, tt::ExternElementwiseOp>(op);
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

// What works on whole tiles comes first: it is made of element-wise operations
// that are still to be expanded.
LogicalResult expandTileOperations(ModuleOp module,
                                   const ExpandOptions &options) {
  Scope scope(module.getContext(), options);
  SmallVector<tt::DotScaledOp> products;
  SmallVector<tt::MapElementwiseOp> maps;
  SmallVector<tt::AtomicRMWOp> atomics;
  SmallVector<tt::PrintOp> prints;
  SmallVector<Operation *> combinations;
  module.walk([&](tt::AtomicRMWOp op) { atomics.push_back(op); });
  module.walk([&](tt::PrintOp op) { prints.push_back(op); });
  module.walk([&](tt::DotScaledOp op) { products.push_back(op); });
  module.walk([&](tt::MapElementwiseOp op) { maps.push_back(op); });
  module.walk([&](Operation *op) {
    if (isa<tt::ReduceOp, tt::ScanOp>(op))
      combinations.push_back(op);
  });
  for (Operation *op : combinations)
    widenCombination(op);
  for (tt::PrintOp op : prints)
    widenPrint(op);
  for (tt::AtomicRMWOp op : atomics)
    addAddition(module, op);
  for (tt::DotScaledOp op : products)
    if (failed(expandDotScaled(scope, op)))
      return failure();
  for (tt::MapElementwiseOp op : maps)
    expandMapElementwise(scope, op);
  return success();
}

LogicalResult expandForBackend(ModuleOp module, const ExpandOptions &options) {
  if (failed(expandTileOperations(module, options)))
    return failure();
  SmallVector<Operation *> work;
  module.walk([&](Operation *op) {
    if (mayExpand(op))
      work.push_back(op);
  });
  LogicalResult areKnown = success();
  for (Operation *op : work)
    if (failed(verifyExtern(op)))
      areKnown = failure();
  if (failed(areKnown))
    return failure();
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
