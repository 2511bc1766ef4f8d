// Generate.cpp - one kernel: from its TTIR to a function over ranges of
// programs.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Generate.h"

#include "../image.h"
#include "analysis/Induction.h"
#include "emit/Entry.h"
#include "kernel/OutOfResources.h"
#include "nereid/codegen/Expand.h"
#include "nereid/ttir/Parse.h"
#include "plan/Accumulators.h"
#include "plan/DotTypes.h"
#include "plan/Interleave.h"
#include "plan/Masks.h"
#include "plan/RowParts.h"
#include "plan/Streams.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace nereid::cpu {

static llvm::Error failureOf(const char *what) {
  return llvm::createStringError(what);
}

/// Rewrites the module to one function of operations that the planner and the
/// emitter support.
static llvm::Expected<tt::FuncOp>
prepareKernel(ModuleOp module, const GenerateOptions &options,
              const codegen::ExpandOptions &expansion, KernelInfo &info) {
  if (failed(codegen::inlineCalls(module)))
    return failureOf("a helper function cannot be inlined");
  auto kernel = tt::findKernel(module);
  if (!kernel)
    return kernel.takeError();
  codegen::describeArguments(*kernel, info);
  if (llvm::Error error = codegen::layOutArguments(info))
    return std::move(error);
  info.set(codegen::describeWork(*kernel, info));

  if (options.fastPaths.has(FastPath::ReduceInLoop))
    reduceInLoops(*kernel, options);
  if (failed(codegen::expand(codegen::Phase::Tiles, module, expansion)))
    return failureOf("an operation cannot be expanded");
  widenDots(*kernel, options);
  if (failed(codegen::expand(codegen::Phase::Elements, module, expansion)))
    return failureOf("an operation cannot be expanded");
  codegen::scalarizeInductions(*kernel);
  IRRewriter rewriter(module.getContext());
  (void)eraseUnreachableBlocks(rewriter, (*kernel)->getRegions());
  (void)runRegionDCE(rewriter, (*kernel)->getRegions());
  return *kernel;
}

/// The alias scope of scratch, which no other memory aliases.
static llvm::MDNode *makeScratchScope(llvm::LLVMContext &context) {
  llvm::MDBuilder metadata(context);
  llvm::MDNode *domain = metadata.createAnonymousAliasScopeDomain("nereid");
  llvm::MDNode *scope = metadata.createAnonymousAliasScope(domain, "scratch");
  return llvm::MDNode::get(context, {scope});
}

llvm::Expected<std::unique_ptr<llvm::Module>>
generate(ModuleOp source, const GenerateOptions &options,
         llvm::LLVMContext &context, KernelInfo &info) {
  // The steps below rewrite the module; the caller's must not change.
  OwningOpRef<ModuleOp> module = source.clone();
  codegen::ExpandOptions expansion = expandOptionsFor(options.cpu);
  expansion.fpFusion = options.fpFusion;
  expansion.flattensExchanges = options.fastPaths.has(FastPath::Exchange);
  auto kernel = prepareKernel(*module, options, expansion, info);
  if (!kernel)
    return kernel.takeError();

  codegen::TileForms planned;
  std::optional<RowParts> parts = divideRows(*kernel, planned, options, info);
  auto program = planTileProgram(*kernel, parts, planned, options);
  if (failed(program))
    return failureOf("the kernel cannot be compiled for the cpu");
  info.scratchSize = (*program)->scratchBytes;
  if (info.scratchSize > kMaxScratchBytes)
    return llvm::make_error<codegen::OutOfResourcesError>(
        info.scratchSize, kMaxScratchBytes, "bytes of scratch for its tiles");
  codegen::TileForms forms(
      [&](Value value) { return (*program)->isOpaque(value); });
  if (options.fastPaths.has(FastPath::MaskIntervals))
    planMasks(**program, forms);
  planInterleaving(**program, forms, options);
  planGridOrder(**program, forms, options);
  if ((*program)->runsAlongY)
    info.flags |= NEREID_CPU_KERNEL_ALONG_Y;
  // In a loop that never runs it stores nothing.
  if (info.streamedBytesPerProgram &&
      !planStreams(**program, forms, options))
    info.streamedBytesPerProgram = 0;
  if (options.describesPlan) {
    llvm::raw_string_ostream text(info.tileProgram);
    (*program)->print(text);
  }

  auto result = std::make_unique<llvm::Module>(info.name, context);
  result->setTargetTriple(options.machine->getTargetTriple().str());
  result->setDataLayout(options.machine->createDataLayout());
  Emitter emitter(*result, **program, forms, options);
  emitter.scratchScope = makeScratchScope(context);
  if (!emitEntry(emitter, info))
    return failureOf("the kernel cannot be compiled for the cpu");
  // Where f16 is computed as integers, LLVM must not turn them into floats
  // again (clearing the sign bit into fabs): it would emit calls of conversion
  // routines that are in no library.
  if (!expansion.hasF16Conversions)
    for (llvm::Function &function : *result)
      function.addFnAttr(llvm::Attribute::NoImplicitFloat);
  return std::move(result);
}

} // namespace nereid::cpu
