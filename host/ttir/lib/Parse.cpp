// Parse.cpp: Triton IR from text and bytecode.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "nereid/ttir/Parse.h"
#include "BytecodeCheck.h"
#include "BytecodeElements.h"
#include "Nesting.h"
#include "TextScan.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Errc.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace nereid::tt;

using llvm::createStringError;
using llvm::errc;

void nereid::tt::registerTTIRDialects(DialectRegistry &registry) {
  registry.insert<TTDialect, ttg::TTGDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                  math::MathDialect, scf::SCFDialect, ub::UBDialect>();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void replaceCustomAssume(ModuleOp module) {
  module.getContext()->getOrLoadDialect<LLVM::LLVMDialect>();
  module.walk([](AssumeCustomOp op) {
    OpBuilder builder(op);
    auto assume = builder.create<LLVM::AssumeOp>(op.getLoc(), op.getCond());
    assume->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    op.erase();
  });
}

static OwningOpRef<ModuleOp> parseText(MLIRContext &context, StringRef text,
                                       StringRef name) {
  std::string renamed = renameOperation(text, kAssumeName, kAssumeCustomName);
  auto module = parseSourceString<ModuleOp>(
      renamed, ParserConfig(&context, /*verifyAfterParse=*/true), name);
  if (module)
    replaceCustomAssume(*module);
  return module;
}

//===----------------------------------------------------------------------===//
// Bytecode
//===----------------------------------------------------------------------===//

/// Reads \p buffer, whose structure was checked.
static OwningOpRef<ModuleOp> parseBytecode(MLIRContext &context,
                                           llvm::MemoryBufferRef buffer,
                                           unsigned maxDepth) {
  Block block;
  // Verified below, once it is known not to nest too deep.
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  readElementsChecked(config.getBytecodeReaderConfig(), maxDepth);
  if (failed(readBytecodeFile(buffer, &block, config)))
    return {};
  auto root = block.empty() ? ModuleOp() : dyn_cast<ModuleOp>(block.front());
  if (!root || !llvm::hasSingleElement(block)) {
    emitError(UnknownLoc::get(&context), "expected one module");
    return {};
  }
  if (nestsDeeper(root, maxDepth)) {
    emitError(UnknownLoc::get(&context))
        << "nested more than " << maxDepth << " deep";
    return {};
  }
  if (failed(verify(root)))
    return {};
  root->remove();
  return OwningOpRef<ModuleOp>(root);
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

llvm::Expected<OwningOpRef<ModuleOp>>
nereid::tt::parseTTIR(MLIRContext &context, StringRef bytes, StringRef name,
                      const ParseLimits &limits,
                      SourceDiagnosticCallback onDiagnostic) {
  DiagnosticCollector diagnostics(context, name, std::move(onDiagnostic));
  // The location tells a person more than the operation printed in full.
  bool printOp = context.shouldPrintOpOnDiagnostic();
  context.printOpOnDiagnostic(false);
  auto restore =
      llvm::make_scope_exit([&] { context.printOpOnDiagnostic(printOp); });

  llvm::MemoryBufferRef buffer(bytes, name);
  bool bytecode = isBytecode(buffer);
  size_t maxBytes = bytecode ? limits.maxBytecodeBytes : limits.maxTextBytes;

  OwningOpRef<ModuleOp> module;
  if (bytes.size() > maxBytes)
    diagnostics.addError(0, 0,
                         (Twine(bytes.size()) + " bytes of " +
                          (bytecode ? "bytecode" : "text") + ", at most " +
                          Twine(maxBytes) + " are accepted")
                             .str());
  else if (auto error =
               bytecode ? checkBytecode(bytes, limits.maxDepth) : std::nullopt)
    diagnostics.addError(0, 0, *error);
  else if (bytecode)
    module = parseBytecode(context, buffer, limits.maxDepth);
  else if (std::optional<TextError> error = checkText(bytes, limits.maxDepth))
    diagnostics.addError(error->line, error->column, error->message);
  else
    module = parseText(context, bytes, name);
  if (!module)
    return diagnostics.takeError("not valid Triton IR");
  return module;
}

llvm::Expected<OwningOpRef<ModuleOp>>
nereid::tt::parseTTIR(MLIRContext &context, StringRef bytes, StringRef name,
                      DiagnosticCallback onDiagnostic,
                      const ParseLimits &limits) {
  return parseTTIR(context, bytes, name, limits,
                   [&](const SourceDiagnostic &diag) {
                     if (onDiagnostic)
                       onDiagnostic(diag.str());
                   });
}

llvm::Expected<FuncOp> nereid::tt::findKernel(ModuleOp module) {
  SmallVector<FuncOp> kernels;
  for (FuncOp func : module.getOps<FuncOp>())
    if (func.isPublic() && !func.isDeclaration())
      kernels.push_back(func);
  if (kernels.size() == 1)
    return kernels.front();

  std::string found = "none";
  if (!kernels.empty())
    found =
        llvm::join(llvm::map_range(kernels,
                                   [](FuncOp func) {
                                     return (Twine("@") + func.getName()).str();
                                   }),
                   ", ");
  return createStringError(errc::invalid_argument,
                           Twine("expected one public function, the kernel; "
                                 "found ") +
                               found);
}
