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

namespace codegen = nereid::codegen;

static void printRewrites() {
  using codegen::Phase;
  for (Phase phase : {Phase::Functions, Phase::Tiles, Phase::Elements})
    for (const codegen::Rewrite &rewrite : codegen::rewritesOf(phase))
      llvm::outs() << rewrite.name << ": " << rewrite.summary << '\n';
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::opt<std::string> input(cl::Positional, cl::desc("<file>"), cl::init("-"));
  cl::opt<bool> noFma("no-fma", cl::desc("The target has no fma"));
  cl::opt<bool> exp2("exp2", cl::desc("The target computes 2^x of f32"));
  cl::opt<bool> scale("scale", cl::desc("The target multiplies by 2^n"));
  cl::opt<bool> fraction("fraction",
                         cl::desc("The target subtracts the nearest integer"));
  cl::opt<bool> exponents("exponents",
                          cl::desc("The target splits off exponents"));
  cl::opt<bool> tables("tables", cl::desc("The target selects one of 16 f32"));
  cl::opt<bool> noFusion("no-fusion", cl::desc("Never contract"));
  cl::opt<bool> f16("f16-arithmetic", cl::desc("The target adds f16"));
  cl::opt<bool> noF64("no-f64", cl::desc("The target has no f64"));
  cl::opt<bool> noI64("no-i64", cl::desc("The target has no i64"));
  cl::opt<bool> noLibm("no-libm", cl::desc("There is no C library"));
  cl::opt<bool> noAtomics("no-atomics", cl::desc("Only compare-and-swap"));
  cl::opt<bool> structured("structured", cl::desc("Lift cf to scf"));
  cl::opt<bool> flat("flatten", cl::desc("Sorts and flips in one dimension"));
  cl::opt<codegen::ScaledDotType> scaled(
      "scaled-dot", cl::desc("What dot_scaled decodes to"),
      cl::init(codegen::ScaledDotType::Narrow),
      cl::values(clEnumValN(codegen::ScaledDotType::Narrow, "narrow", ""),
                 clEnumValN(codegen::ScaledDotType::F16, "f16", ""),
                 clEnumValN(codegen::ScaledDotType::F32, "f32", "")));
  cl::opt<bool> matrices("matrices", cl::desc("The target multiplies f16 and "
                                              "bf16 of 16 by 16 and more"));
  cl::opt<bool> list("list", cl::desc("Print the rewrites in order"));
  cl::ParseCommandLineOptions(argc, argv, "Expands Triton IR for a backend\n");

  if (list) {
    printRewrites();
    return 0;
  }
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
  codegen::ExpandOptions options;
  options.hasFma = !noFma;
  options.hasExp2 = exp2;
  options.hasScale = scale;
  options.hasFraction = fraction;
  options.hasExponents = exponents;
  options.hasTables = tables;
  options.fpFusion = !noFusion;
  options.hasF16Arithmetic = f16;
  options.hasF64 = !noF64;
  options.hasI64 = !noI64;
  options.hasLibm = !noLibm;
  options.needsStructuredBranches = structured;
  options.flattensExchanges = flat;
  options.scaledDotType = scaled;
  auto multiplies = [](Type, RankedTensorType sums, int64_t depth) {
    return depth >= 16 && llvm::all_of(sums.getShape().take_back(2),
                                       [](int64_t size) { return size >= 16; });
  };
  if (matrices)
    options.multiplies = multiplies;
  if (noAtomics)
    options.atomics = {};
  if (failed(codegen::expandForBackend(**module, options)) ||
      failed(module->get().verify()))
    return 1;
  nereid::tt::printTTIR(module->get(), llvm::outs(), OpPrintingFlags());
  return 0;
}
