// TtirStage.cpp - parses TTIR and checks what no compiler supports.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernel/TtirStage.h"

#include "kernel/FatalErrors.h"
#include "kernel/Input.h"
#include "kernel/UseChain.h"

#include "nereid/ttir/Parse.h"

namespace nereid::codegen {

/// Reports a kernel with results, which have no receiver.
static llvm::Error refuseResults(mlir::ModuleOp module, const Report &report) {
  auto kernel = tt::findKernel(module);
  if (!kernel) { // code generation reports it
    llvm::consumeError(kernel.takeError());
    return llvm::Error::success();
  }
  if (kernel->getNumResults() == 0)
    return llvm::Error::success();
  DiagnosticsToReport diagnostics(*module.getContext(), report);
  mlir::emitError(kernel->getLoc())
      << "kernel '" << kernel->getName()
      << "' returns a value, expected none: a kernel stores its results";
  return llvm::createStringError("the kernel returns a value");
}

/// Reports a module for which code generation would recurse too deeply.
static llvm::Error refuseLongChain(const UseChain &chain,
                                   const Report &report) {
  if (chain.length <= kMaxUseChain)
    return llvm::Error::success();
  DiagnosticsToReport diagnostics(*chain.last->getContext(), report);
  mlir::emitError(chain.last->getLoc())
      << "ends a chain of " << chain.length
      << " operations that use each other's results; at most "
      << kMaxUseChain << " are accepted";
  return llvm::createStringError("a chain of operations is too long");
}

llvm::Error TtirStage::read(llvm::StringRef input, const Report &report) {
  if (!input.data())
    return frontend && (*frontend)->module ? llvm::Error::success()
                                           : missingInput();
  if (llvm::Error error = checkKind(input, InputKind::Ttir))
    return error;
  if (!frontend)
    frontend.emplace();
  if (llvm::Error error = (*frontend)->parse(input, report))
    return error;
  // Before the passes, which would be slow on such a module.
  if (llvm::Error error =
          refuseLongChain(longestUseChain(*(*frontend)->module), report))
    return error;
  return refuseResults(*(*frontend)->module, report);
}

/// A FatalError leaves `work` by a jump, or is what it returns.
llvm::Error TtirStage::whileInUse(llvm::function_ref<llvm::Error()> work) {
  isInUse = true;
  llvm::Error error = work();
  isInUse = error.isA<FatalError>();
  return error;
}

llvm::Error TtirStage::run(llvm::StringRef input, const Report &report) {
  return whileInUse([&]() -> llvm::Error {
    if (llvm::Error error = read(input, report))
      return error;
    if (llvm::Error error = (*frontend)->runStandardPasses(report))
      return error;
    return report.output ? report.write((*frontend)->print())
                         : llvm::Error::success();
  });
}

llvm::Error TtirStage::generate(
    llvm::StringRef input, const Report &report,
    llvm::function_ref<llvm::Error(mlir::ModuleOp)> generate) {
  return whileInUse([&]() -> llvm::Error {
    if (llvm::Error error = read(input, report))
      return error;
    mlir::ModuleOp module = *(*frontend)->module;
    UseChain chain = longestUseChain(module);
    if (llvm::Error error = refuseLongChain(chain, report))
      return error;
    DiagnosticsToReport diagnostics((*frontend)->context, report);
    return runAlongChain(chain.length, [&] { return generate(module); });
  });
}

void TtirStage::abandon() {
  if (!isInUse || !frontend)
    return;
  frontend->abandon();
  frontend.reset();
}

} // namespace nereid::codegen
