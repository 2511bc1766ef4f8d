// nereid-opt.cpp: parses Triton IR, runs passes, prints the result.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

// Not MlirOptMain, because that parses and prints without Triton's spelling of
// llvm.intr.assume and without the limits on nesting.
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/ToolUtilities.h"
#include "mlir/Transforms/Passes.h"
#include "nereid/ttir/Parse.h"
#include "nereid/ttir/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace {

struct Options {
  cl::opt<std::string> input{cl::Positional, cl::desc("<file, or - >"),
                             cl::init("-")};
  cl::opt<std::string> output{"o", cl::desc("Where to write"),
                              cl::value_desc("file"), cl::init("-")};
  cl::opt<bool> emitBytecode{"emit-bytecode", cl::desc("Write MLIR bytecode")};
  cl::opt<bool> split{"split-input-file",
                      cl::desc("Treat pieces between // ----- as files")};
  cl::opt<bool> debugInfo{"mlir-print-debuginfo", cl::desc("Print locations")};
  cl::opt<bool> generic{"mlir-print-op-generic",
                        cl::desc("Print the generic form")};
  PassPipelineCLParser passes{"", "Passes to run"};
};

} // namespace

/// Parses \p buffer, runs the passes, and prints to \p os.
static LogicalResult process(llvm::MemoryBufferRef buffer, MLIRContext &context,
                             const Options &options, raw_ostream &os) {
  auto module = nereid::tt::parseTTIR(
      context, buffer.getBuffer(), buffer.getBufferIdentifier(),
      [](StringRef line) { llvm::errs() << line << '\n'; });
  if (!module) {
    llvm::consumeError(module.takeError());
    return failure();
  }

  PassManager passes(&context);
  auto fail = [](const Twine &message) {
    llvm::errs() << message << '\n';
    return failure();
  };
  if (failed(options.passes.addToPipeline(passes, fail)) ||
      failed(passes.run(module->get())))
    return failure();
  if (options.emitBytecode)
    return writeBytecodeToFile(module->get(), os);
  OpPrintingFlags flags;
  flags.enableDebugInfo(options.debugInfo);
  flags.printGenericOpForm(options.generic);
  nereid::tt::printTTIR(module->get(), os, flags);
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  registerTransformsPasses();
  nereid::tt::registerTTIRPasses();
  Options options;
  cl::ParseCommandLineOptions(argc, argv, "Triton IR optimizer\n");

  DialectRegistry registry;
  nereid::tt::registerTTIRDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);

  std::string message;
  auto input = openInputFile(options.input, &message);
  auto output = input ? openOutputFile(options.output, &message) : nullptr;
  if (!output) {
    llvm::errs() << message << '\n';
    return 1;
  }
  auto chunk = [&](std::unique_ptr<llvm::MemoryBuffer> buffer,
                   raw_ostream &os) {
    return process(buffer->getMemBufferRef(), context, options, os);
  };
  StringRef marker = options.split ? kDefaultSplitMarker : "";
  if (failed(splitAndProcessBuffer(std::move(input), chunk, output->os(),
                                   marker, marker)))
    return 1;
  output->keep();
  return 0;
}
