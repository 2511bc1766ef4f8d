// Calls of helper functions go away.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "nereid/codegen/Expand.h"

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "mlir/Transforms/RegionUtils.h"
#include "nereid/ttir/Dialect.h"
#include "nereid/ttir/Passes.h"

using namespace mlir;

namespace nereid::codegen {

namespace {
/// Branches of Triton's functions as structured control flow.
class Lifting : public ControlFlowToSCFTransformation {
public:
  /// Two ways suffice for what the frontend makes, and an scf.if, unlike a
  /// switch, is what backends know.
  void createCFGSwitchOp(Location loc, OpBuilder &builder, Value flag,
                         ArrayRef<unsigned> values, BlockRange destinations,
                         ArrayRef<ValueRange> arguments, Block *otherwise,
                         ValueRange otherArguments) override {
    if (values.size() > 1)
      return ControlFlowToSCFTransformation::createCFGSwitchOp(
          loc, builder, flag, values, destinations, arguments, otherwise,
          otherArguments);
    if (values.empty()) {
      builder.create<cf::BranchOp>(loc, otherwise, otherArguments);
      return;
    }
    Value value = builder.create<arith::ConstantOp>(
        loc, builder.getIntegerAttr(flag.getType(), values.front()));
    Value isValue = builder.create<arith::CmpIOp>(
        loc, arith::CmpIPredicate::eq, flag, value);
    builder.create<cf::CondBranchOp>(loc, isValue, destinations.front(),
                                     arguments.front(), otherwise,
                                     otherArguments);
  }

  FailureOr<Operation *> createUnreachableTerminator(Location loc,
                                                     OpBuilder &builder,
                                                     Region &region) override {
    SmallVector<Value> results;
    for (Type type : cast<tt::FuncOp>(region.getParentOp()).getResultTypes())
      results.push_back(getUndefValue(loc, builder, type));
    return builder.create<tt::ReturnOp>(loc, results).getOperation();
  }
};
} // namespace

/// Only one block can be put in the place of a call inside a loop or a branch.
static LogicalResult liftBranches(tt::FuncOp function) {
  Region &body = function.getBody();
  if (body.empty() || body.hasOneBlock())
    return success();
  IRRewriter rewriter(function.getContext());
  (void)eraseUnreachableBlocks(rewriter, function->getRegions());
  Lifting lifting;
  DominanceInfo dominance(function);
  if (failed(transformCFGToSCF(body, lifting, dominance)))
    return function.emitError()
           << "the branches of '" << function.getName()
           << "' have no structured form, so its calls cannot be inlined";
  return success();
}

/// What is still called after inlining calls itself.
static LogicalResult refuseCalls(ModuleOp module) {
  tt::CallOp left;
  for (auto function : module.getOps<tt::FuncOp>())
    if (function.isPublic())
      function.walk([&](tt::CallOp call) { left = call; });
  if (!left)
    return success();
  auto callee = module.lookupSymbol<tt::FuncOp>(left.getCallee());
  if (!callee)
    return left.emitOpError()
           << "calls '" << left.getCallee() << "', which is not defined";
  if (callee.isDeclaration())
    return left.emitOpError() << "calls '" << left.getCallee()
                            << "', which is declared only, expected a body";
  return left.emitOpError() << "calls '" << left.getCallee()
                          << "', which calls itself: recursion is not "
                             "supported";
}

LogicalResult inlineCalls(ModuleOp module) {
  bool calls = false;
  module.walk([&](tt::CallOp) { calls = true; });
  if (!calls)
    return success();
  for (auto function : module.getOps<tt::FuncOp>()) {
    function->removeAttr("noinline");
    if (!function.isPublic() && failed(liftBranches(function)))
      return failure();
  }
  PassManager passes(module.getContext());
  passes.enableVerifier(false);
  passes.addPass(tt::createInlineLimit());
  passes.addPass(tt::createReplaceNumberOps());
  passes.addPass(createInlinerPass()); // folds, too
  passes.addPass(tt::createRestoreNumberOps());
  if (failed(passes.run(module)))
    return failure();
  return refuseCalls(module);
}

} // namespace nereid::codegen
