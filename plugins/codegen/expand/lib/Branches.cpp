// Branches between blocks as structured control flow.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Irreducible loops get a variable that selects the next block, so every kernel
// has a structured form.

#include "Structured.h"

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace nereid::codegen {

namespace {
/// Branches of Triton's functions as structured control flow.
class Lifting : public ControlFlowToSCFTransformation {
public:
  /// Two cases suffice for what the frontend emits, and backends support scf.if
  /// but no switch.
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
    auto addUndefined = [&](TypeRange types) {
      for (Type type : types)
        results.push_back(
            getUndefValue(loc, builder, getElementTypeOrSelf(type)));
    };
    if (auto map = dyn_cast<tt::MapElementwiseOp>(region.getParentOp())) {
      for (uint32_t i = 0; i < map.getPack(); ++i)
        addUndefined(map.getResultTypes());
      return builder.create<tt::MapElementwiseReturnOp>(loc, results)
          .getOperation();
    }
    for (Type type : cast<tt::FuncOp>(region.getParentOp()).getResultTypes())
      results.push_back(getUndefValue(loc, builder, type));
    return builder.create<tt::ReturnOp>(loc, results).getOperation();
  }
};
} // namespace

/// A switch as a chain of scf.if, from the last case to the first.
static void switchToIfs(IRRewriter &rewriter, scf::IndexSwitchOp op) {
  Location loc = op.getLoc();
  Region *otherwise = &op.getDefaultRegion();
  auto moveInto = [&](Region &from, Block *to) {
    rewriter.mergeBlocks(&from.front(), to);
  };
  // Each `if` is created in the else branch of the one before it.
  rewriter.setInsertionPoint(op);
  scf::IfOp outermost;
  for (auto [value, region] : llvm::zip(op.getCases(), op.getCaseRegions())) {
    Value number = rewriter.create<arith::ConstantIndexOp>(loc, value);
    Value isCase = rewriter.create<arith::CmpIOp>(
        loc, arith::CmpIPredicate::eq, op.getArg(), number);
    auto branch = rewriter.create<scf::IfOp>(loc, op.getResultTypes(), isCase,
                                             /*addThenBlock=*/true,
                                             /*addElseBlock=*/true);
    if (outermost)
      rewriter.create<scf::YieldOp>(loc, branch.getResults());
    else
      outermost = branch;
    moveInto(region, branch.thenBlock());
    rewriter.setInsertionPointToEnd(branch.elseBlock());
  }
  moveInto(*otherwise, rewriter.getInsertionBlock());
  rewriter.replaceOp(op, outermost.getResults());
}

/// Lifts the branches of `region`, of the operation or function `parent`.
static LogicalResult liftRegion(Region &region, Operation *parent) {
  if (region.empty() || region.hasOneBlock())
    return success();
  IRRewriter rewriter(parent->getContext());
  (void)eraseUnreachableBlocks(rewriter, parent->getRegions());
  Lifting lifting;
  DominanceInfo dominance(parent);
  if (failed(transformCFGToSCF(region, lifting, dominance)))
    return failure();
  SmallVector<scf::IndexSwitchOp> switches;
  parent->walk([&](scf::IndexSwitchOp op) { switches.push_back(op); });
  for (scf::IndexSwitchOp op : switches)
    switchToIfs(rewriter, op);
  return success();
}

LogicalResult liftBranches(tt::FuncOp function) {
  if (failed(liftRegion(function.getBody(), function)))
    return function.emitError()
           << "the branches of '" << function.getName()
           << "' have no structured form";
  return success();
}

/// The regions of maps, which have branches of their own.
static LogicalResult liftMaps(ModuleOp module) {
  WalkResult lifted = module.walk([](tt::MapElementwiseOp map) {
    if (succeeded(liftRegion(map.getScalarOp(), map)))
      return WalkResult::advance();
    map.emitError() << "its branches have no structured form";
    return WalkResult::interrupt();
  });
  return failure(lifted.wasInterrupted());
}

LogicalResult liftBranches(ModuleOp module) {
  for (auto function : module.getOps<tt::FuncOp>())
    if (failed(liftBranches(function)))
      return failure();
  return liftMaps(module);
}

} // namespace nereid::codegen
