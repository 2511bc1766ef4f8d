// Reports kernels with values of types that the target does not have.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Structured.h"

using namespace mlir;

namespace nereid::codegen {

/// The name of a missing type in \p type. The pointee of a pointer does not
/// count.
static StringRef missingType(Type type, const ExpandOptions &options) {
  Type element = getElementTypeOrSelf(type);
  if (element.isF64() && !options.hasF64)
    return "f64";
  if (element.isInteger(64) && !options.hasI64 && !options.emulatesI64)
    return "i64";
  return {};
}

LogicalResult checkTypes(ModuleOp module, const ExpandOptions &options) {
  auto isRefused = [&](Value value) {
    StringRef missing = missingType(value.getType(), options);
    if (missing.empty())
      return false;
    emitError(value.getLoc())
        << "a value of type " << value.getType() << ", but the target has no "
        << missing;
    return true;
  };
  // Report the first value only: the type is likely used everywhere.
  WalkResult result = module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (llvm::any_of(block.getArguments(), isRefused))
          return WalkResult::interrupt();
    return llvm::any_of(op->getResults(), isRefused) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace nereid::codegen
