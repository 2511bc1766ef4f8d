// nereid-distribute.cpp - prints the layouts of all tiles of the kernels in a
// TTIR file, or the kernels after the loads were moved. For lit tests.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "analysis/Induction.h"
#include "gpu/Distribution.h"
#include "gpu/Pipeline.h"

#include "nereid/ttir/Parse.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace nereid;
namespace cl = llvm::cl;

static cl::opt<std::string> path(cl::Positional, cl::desc("FILE.ttir"),
                                 cl::init("-"));
static cl::opt<unsigned> lanes("lanes", cl::desc("threads of a subgroup"),
                               cl::init(32));
static cl::opt<unsigned> warps("warps", cl::desc("subgroups of a workgroup"),
                               cl::init(4));
static cl::opt<unsigned> accessBytes("access-bytes", cl::init(16),
                                     cl::desc("of the widest access"));
static cl::opt<bool> pipeline("pipeline",
                              cl::desc("print kernels whose loads run ahead"));

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "prints layouts of tiles\n");
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!file) {
    llvm::errs() << path << ": " << file.getError().message() << '\n';
    return 1;
  }
  DialectRegistry registry;
  tt::registerTTIRDialects(registry);
  MLIRContext context(registry);
  auto module = tt::parseTTIR(context, (*file)->getBuffer(), path);
  if (!module) {
    llvm::errs() << llvm::toString(module.takeError()) << '\n';
    return 1;
  }
  codegen::gpu::DistributionOptions options;
  options.workgroup = {llvm::Log2_32(lanes), llvm::Log2_32(warps)};
  options.accessBytes = accessBytes;
  (*module)->walk([&](tt::FuncOp kernel) {
    if (pipeline) {
      codegen::scalarizeInductions(kernel);
      unsigned count = codegen::gpu::pipelineLoads(
          kernel, {options.workgroup.threads()});
      llvm::outs() << "// " << count << " ahead\n" << kernel << '\n';
      return;
    }
    codegen::TileForms forms;
    llvm::outs() << '@' << kernel.getName() << '\n';
    AsmState names(kernel);
    codegen::gpu::distribute(kernel, forms, options)
        .print(kernel, llvm::outs(), names);
  });
  return 0;
}
