// InlineCalls.cpp: the inliner, for modules with calls.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "nereid/ttir/Dialect.h"
#include "nereid/ttir/Passes.h"

using namespace mlir;
using namespace nereid::tt;

namespace {

/// Without calls the inliner would only build a call graph, which takes 2 % of
/// the time to compile a small kernel.
class InlineCalls : public PassWrapper<InlineCalls, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InlineCalls)

  StringRef getArgument() const final { return "ttir-inline-calls"; }

  void runOnOperation() final {
    ModuleOp module = getOperation();
    if (!module.walk([](CallOp) { return WalkResult::interrupt(); })
             .wasInterrupted())
      return;
    OpPassManager passes(ModuleOp::getOperationName());
    passes.addPass(createInlineLimit());
    passes.addPass(createInlinerPass());
    if (failed(runPipeline(passes, module)))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> nereid::tt::createInlineCalls() {
  return std::make_unique<InlineCalls>();
}
