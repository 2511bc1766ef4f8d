// nereid-expand.cpp: expands a TTIR file as a backend does and prints it.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "nereid/codegen/Expand.h"
#include "nereid/ttir/Parse.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
namespace cl = llvm::cl;

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::opt<std::string> input(cl::Positional, cl::desc("<file>"), cl::Required);
  cl::opt<bool> noFma("no-fma", cl::desc("The target has no fma"));
  cl::opt<bool> noFusion("no-fusion", cl::desc("Never contract"));
  cl::opt<bool> f16("f16-arithmetic", cl::desc("The target adds f16"));
  cl::opt<bool> calls("inline", cl::desc("Inline helper functions first"));
  cl::ParseCommandLineOptions(argc, argv, "Expands Triton IR for a backend\n");

  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(input);
  if (!buffer) {
    llvm::errs() << input << ": " << buffer.getError().message() << '\n';
    return 1;
  }
  DialectRegistry registry;
  nereid::tt::registerTTIRDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = nereid::tt::parseTTIR(
      context, (*buffer)->getBuffer(), input,
      [](StringRef line) { llvm::errs() << line << '\n'; });
  if (!module) {
    llvm::consumeError(module.takeError());
    return 1;
  }
  nereid::codegen::ExpandOptions options;
  options.hasFma = !noFma;
  options.fpFusion = !noFusion;
  options.hasF16Arithmetic = f16;
  if (calls && failed(nereid::codegen::inlineCalls(**module)))
    return 1;
  if (failed(nereid::codegen::expandForBackend(**module, options)) ||
      failed(module->get().verify()))
    return 1;
  nereid::tt::printTTIR(module->get(), llvm::outs(), OpPrintingFlags());
  return 0;
}
