// NumberFolds.cpp: keeps MLIR's folds away from arith.maxnumf and minnumf.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "nereid/ttir/Passes.h"

using namespace mlir;
using namespace nereid::tt;

/// Replaces every operation `From` by a `To` with the same operands and
/// attributes.
template <typename From, typename To> static void replaceAll(ModuleOp module) {
  module.walk([](From op) {
    OpBuilder builder(op);
    OperationState state(op.getLoc(), To::getOperationName(), op->getOperands(),
                         op->getResultTypes(),
                         op->getAttrDictionary().getValue());
    op->replaceAllUsesWith(builder.create(state));
    op->erase();
  });
}

namespace {

struct ReplaceNumberOps
    : PassWrapper<ReplaceNumberOps, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReplaceNumberOps)

  StringRef getArgument() const final { return "ttir-replace-number-ops"; }

  void runOnOperation() final {
    replaceAll<arith::MaxNumFOp, MaxNumberOp>(getOperation());
    replaceAll<arith::MinNumFOp, MinNumberOp>(getOperation());
  }
};

struct RestoreNumberOps
    : PassWrapper<RestoreNumberOps, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RestoreNumberOps)

  StringRef getArgument() const final { return "ttir-restore-number-ops"; }

  void runOnOperation() final {
    replaceAll<MaxNumberOp, arith::MaxNumFOp>(getOperation());
    replaceAll<MinNumberOp, arith::MinNumFOp>(getOperation());
  }
};

} // namespace

std::unique_ptr<Pass> nereid::tt::createReplaceNumberOps() {
  return std::make_unique<ReplaceNumberOps>();
}

std::unique_ptr<Pass> nereid::tt::createRestoreNumberOps() {
  return std::make_unique<RestoreNumberOps>();
}
