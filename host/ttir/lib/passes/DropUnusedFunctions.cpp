// DropUnusedFunctions.cpp: MLIR's removal of symbols, where there are several.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "mlir/Transforms/Passes.h"
#include "nereid/ttir/Passes.h"

using namespace mlir;

namespace {

struct DropUnusedFunctions
    : PassWrapper<DropUnusedFunctions, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropUnusedFunctions)

  StringRef getArgument() const final { return "ttir-drop-unused-functions"; }

  void runOnOperation() final {
    ModuleOp module = getOperation();
    if (llvm::hasNItemsOrLess(*module.getBody(), 1))
      return markAllAnalysesPreserved();
    OpPassManager passes(ModuleOp::getOperationName());
    passes.addPass(createSymbolDCEPass());
    if (failed(runPipeline(passes, module)))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> nereid::tt::createDropUnusedFunctions() {
  return std::make_unique<DropUnusedFunctions>();
}
