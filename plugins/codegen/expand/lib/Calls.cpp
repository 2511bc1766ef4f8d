// Inlines helper functions.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Structured.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "nereid/ttir/Passes.h"

using namespace mlir;

namespace nereid::codegen {

/// Reports calls that remain after inlining: recursion.
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
    // Only a single block can be inlined inside a loop or branch.
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
