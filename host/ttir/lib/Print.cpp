// Print.cpp: Triton IR as text, spelled as Triton spells it.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "TextScan.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "nereid/ttir/Parse.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace nereid::tt;

static bool hasAssume(ModuleOp module) {
  return module.walk([](LLVM::AssumeOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

static void useCustomAssume(ModuleOp module) {
  module.walk([](LLVM::AssumeOp op) {
    OpBuilder builder(op);
    auto custom = builder.create<AssumeCustomOp>(op.getLoc(), op.getCond());
    custom->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    op.erase();
  });
}

void nereid::tt::printTTIR(ModuleOp module, llvm::raw_ostream &os,
                           OpPrintingFlags flags) {
  if (flags.shouldPrintGenericOpForm() || !hasAssume(module)) {
    module->print(os, flags);
    return;
  }
  OwningOpRef<ModuleOp> copy = module.clone();
  useCustomAssume(*copy);
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy->print(stream, flags);
  os << renameOperation(text, kAssumeCustomName, kAssumeName);
}
