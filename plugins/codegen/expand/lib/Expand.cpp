// The walk over a module that rewrites operations that backends lack.
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

// Only the kernel's own operations may be contracted: expansions rely on the
// rounding of every step.
static void allowContraction(Operation *op) {
  if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
    return;
  auto interface = cast<arith::ArithFastMathInterface>(op);
  auto flags = interface.getFastMathFlagsAttr().getValue() |
               arith::FastMathFlags::contract;
  op->setAttr(interface.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(op->getContext(), flags));
}

template <typename Op> static SmallVector<Op> allOf(ModuleOp module) {
  SmallVector<Op> ops;
  module.walk([&](Op op) { ops.push_back(op); });
  return ops;
}

static SmallVector<Operation *> elementOperations(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (mayExpand(op))
      ops.push_back(op);
  });
  return ops;
}

static LogicalResult runInlineCalls(ModuleOp module, const ExpandOptions &) {
  return inlineCalls(module);
}

static LogicalResult runLiftBranches(ModuleOp module,
                                     const ExpandOptions &options) {
  return options.needsStructuredBranches ? liftBranches(module) : success();
}

static LogicalResult runWidenCombinations(ModuleOp module,
                                          const ExpandOptions &) {
  for (tt::ReduceOp op : allOf<tt::ReduceOp>(module))
    widenCombination(op);
  for (tt::ScanOp op : allOf<tt::ScanOp>(module))
    widenCombination(op);
  return success();
}

static LogicalResult runWidenPrints(ModuleOp module, const ExpandOptions &) {
  for (tt::PrintOp op : allOf<tt::PrintOp>(module))
    widenPrint(op);
  return success();
}

static LogicalResult runAddAtomicUpdates(ModuleOp module,
                                         const ExpandOptions &options) {
  for (tt::AtomicRMWOp op : allOf<tt::AtomicRMWOp>(module))
    addAtomicUpdate(module, options.atomics, op);
  return success();
}

static LogicalResult runExpandDotScaled(ModuleOp module,
                                        const ExpandOptions &options) {
  Scope scope(module.getContext(), options);
  for (tt::DotScaledOp op : allOf<tt::DotScaledOp>(module))
    if (failed(expandDotScaled(scope, op)))
      return failure();
  return success();
}

static LogicalResult runExpandMapElementwise(ModuleOp module,
                                             const ExpandOptions &options) {
  Scope scope(module.getContext(), options);
  for (tt::MapElementwiseOp op : allOf<tt::MapElementwiseOp>(module))
    expandMapElementwise(scope, op);
  return success();
}

static LogicalResult runCheckExternal(ModuleOp module, const ExpandOptions &) {
  LogicalResult areKnown = success();
  for (Operation *op : elementOperations(module))
    if (failed(verifyExtern(op)))
      areKnown = failure();
  return areKnown;
}

static LogicalResult runAllowContraction(ModuleOp module,
                                         const ExpandOptions &options) {
  if (options.fpFusion)
    for (Operation *op : elementOperations(module))
      allowContraction(op);
  return success();
}

static LogicalResult runExpandElements(ModuleOp module,
                                       const ExpandOptions &options) {
  Scope scope(module.getContext(), options);
  for (Operation *op : elementOperations(module)) {
    scope.moveTo(op);
    std::optional<Expr> result = expandOperation(scope, op);
    if (scope.refused)
      return failure();
    if (!result)
      continue;
    op->getResult(0).replaceAllUsesWith(result->value);
    op->erase();
  }
  return success();
}

static LogicalResult runFoldKnownMasks(ModuleOp module,
                                       const ExpandOptions &options) {
  if (options.foldsKnownMasks)
    foldKnownMasks(module);
  return success();
}

static LogicalResult runSimplifyMaskedAddresses(ModuleOp module,
                                                const ExpandOptions &options) {
  if (options.foldsKnownMasks)
    simplifyMaskedAddresses(module);
  return success();
}

static LogicalResult runFlattenExchanges(ModuleOp module,
                                         const ExpandOptions &options) {
  if (options.flattensExchanges)
    flattenExchanges(module);
  return success();
}

static LogicalResult runRepeatJoined(ModuleOp module, const ExpandOptions &) {
  for (tt::JoinOp op : allOf<tt::JoinOp>(module))
    repeatJoined(op);
  return success();
}

ArrayRef<Rewrite> rewritesOf(Phase phase) {
  static constexpr Rewrite kFunctions[] = {
      {"inline-calls", "inline helper functions",
       runInlineCalls},
      {"lift-branches", "cf as scf, where the target needs it",
       runLiftBranches},
  };
  static constexpr Rewrite kTiles[] = {
      {"check-types", "refuse f64 and i64 where the target has none",
       checkTypes},
      {"fold-known-masks", "drop masks that are true for every element",
       runFoldKnownMasks},
      {"simplify-masked-addresses",
       "drop clamps of addresses where masks leave nothing to clamp",
       runSimplifyMaskedAddresses},
      {"repeat-joined", "tiles joined with themselves as broadcasts",
       runRepeatJoined},
      {"flatten-exchanges",
       "sorts and flips in one dimension, where the "
       "target gains from it",
       runFlattenExchanges},
      {"widen-combinations", "f16 and bf16 sums in f32", runWidenCombinations},
      {"widen-prints", "fp8 values as f32", runWidenPrints},
      {"add-atomic-updates", "functions for compare-and-swap loops",
       runAddAtomicUpdates},
      {"expand-dot-scaled", "microscaled products as plain ones",
       runExpandDotScaled},
      {"expand-map-elementwise", "maps without branches on tensors",
       runExpandMapElementwise},
  };
  static constexpr Rewrite kElements[] = {
      {"check-external-functions", "refuse unknown external functions",
       runCheckExternal},
      {"allow-contraction", "mark the kernel's own arithmetic",
       runAllowContraction},
      {"expand-elements", "functions, conversions, narrow types, odd integers",
       runExpandElements},
  };
  switch (phase) {
  case Phase::Functions:
    return kFunctions;
  case Phase::Tiles:
    return kTiles;
  case Phase::Elements:
    return kElements;
  }
  llvm_unreachable("unknown phase");
}

LogicalResult expand(Phase phase, ModuleOp module,
                     const ExpandOptions &options) {
  for (const Rewrite &rewrite : rewritesOf(phase))
    if (failed(rewrite.run(module, options)))
      return failure();
  return success();
}

LogicalResult expandForBackend(ModuleOp module, const ExpandOptions &options) {
  for (Phase phase : {Phase::Functions, Phase::Tiles, Phase::Elements})
    if (failed(expand(phase, module, options)))
      return failure();
  return success();
}

} // namespace nereid::codegen
