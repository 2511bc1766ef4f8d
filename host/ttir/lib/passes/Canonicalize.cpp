// Canonicalize.cpp: MLIR's canonicalization, prepared once and repeated only
// after a change.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "nereid/ttir/Passes.h"

using namespace mlir;
using namespace nereid::tt;

namespace {

/// An analysis that exists until a pass changes what was canonicalized.
struct IsCanonical {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(IsCanonical)

  explicit IsCanonical(Operation *) {}
};

struct Canonicalize : PassWrapper<Canonicalize, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Canonicalize)

  StringRef getArgument() const final { return "ttir-canonicalize"; }

  /// MLIR 19 initializes all passes in each run of a pass manager.
  LogicalResult initialize(MLIRContext *context) final {
    if (patterns)
      return success();
    RewritePatternSet all(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(all);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(all, context);
    patterns = std::make_shared<FrozenRewritePatternSet>(std::move(all));
    return success();
  }

  void runOnOperation() final {
    if (getCachedAnalysis<IsCanonical>())
      return markAllAnalysesPreserved();
    GreedyRewriteConfig config;
    config.useTopDownTraversal = true;
    config.enableRegionSimplification = GreedySimplifyRegionLevel::Normal;
    // What does not converge is still correct.
    (void)applyPatternsAndFoldGreedily(getOperation(), *patterns, config);
    getAnalysis<IsCanonical>();
    markAnalysesPreserved<IsCanonical>();
  }

private:
  std::shared_ptr<FrozenRewritePatternSet> patterns;
};

} // namespace

std::unique_ptr<Pass> nereid::tt::createCanonicalize() {
  return std::make_unique<Canonicalize>();
}
