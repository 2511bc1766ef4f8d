// Generate.cpp - one kernel: from its TTIR to a function over ranges of
// programs.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Generate.h"

#include "../image.h"
#include "Forms.h"
#include "analysis/Induction.h"
#include "emit/Entry.h"
#include "emit/SideBySide.h"
#include "nereid/codegen/Expand.h"
#include "nereid/ttir/Parse.h"
#include "plan/Accumulators.h"
#include "plan/ColumnParts.h"
#include "plan/DotTypes.h"
#include "plan/ShortBranches.h"
#include "plan/ShortLoops.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringExtras.h"

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
  if (options.fastPaths.has(FastPath::ShortBranches))
    flattenShortBranches(*kernel);
  if (options.fastPaths.has(FastPath::ShortLoops))
    unrollShortLoops(*kernel);
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

/// As the printed plan says where `condition` holds.
static std::string textOf(const FormCondition &condition) {
  SmallVector<StringRef, 3> parts;
  if (!condition.ones.empty())
    parts.push_back("strides are one");
  if (!condition.formula.empty())
    parts.push_back("stores are apart from loads");
  if (condition.mostPrograms != kAnyGrid || parts.empty())
    parts.push_back("no index overflows");
  return "where " + llvm::join(parts, " and ") + ":\n";
}

llvm::Expected<std::unique_ptr<llvm::Module>>
generate(ModuleOp source, const GenerateOptions &options,
         llvm::LLVMContext &context, KernelInfo &info) {
  // The steps below rewrite the module; the caller's must not change.
  OwningOpRef<ModuleOp> module = source.clone();
  codegen::ExpandOptions expansion = expandOptionsFor(options.cpu);
  expansion.fpFusion = options.fpFusion;
  expansion.foldsKnownMasks = options.fastPaths.has(FastPath::MaskIntervals);
  expansion.flattensExchanges = options.fastPaths.has(FastPath::Exchange);
  auto kernel = prepareKernel(*module, options, expansion, info);
  if (!kernel)
    return kernel.takeError();
  auto planned = planForms(*kernel, options, info);
  if (!planned)
    return planned.takeError();
  SmallVector<KernelForm, 2> &forms = planned->list;
  const FormCondition &condition = planned->condition;
  if (options.describesPlan) {
    llvm::raw_string_ostream text(info.tileProgram);
    if (planned->side.kernel) {
      text << "up to " << planned->side.most << " programs side by side along "
           << "xyz"[planned->side.axis] << ":\n";
      planned->together.program->print(text);
      text << "alone:\n";
    }
    for (const KernelForm &form : forms) {
      if (forms.size() > 1)
        text << (&form == forms.begin() ? textOf(condition) : "elsewhere:\n");
      form.program->print(text);
    }
    if (!info.disjointCondition.empty())
      text << "atomic updates are disjoint along " << "xyz"[info.disjointAxis]
           << ", under a condition\n";
  }

  auto result = std::make_unique<llvm::Module>(info.name, context);
  result->setTargetTriple(options.machine->getTargetTriple().str());
  result->setDataLayout(options.machine->createDataLayout());
  llvm::MDNode *scratchScope = makeScratchScope(context);
  SmallVector<llvm::Function *, 2> entries;
  auto emit = [&](KernelForm &form) {
    Emitter emitter(*result, *form.program, *form.forms, form.options);
    emitter.scratchScope = scratchScope;
    entries.push_back(emitEntry(emitter, info, "cpu." + info.name));
    return entries.back();
  };
  for (KernelForm &form : forms)
    if (!emit(form))
      return failureOf("the kernel cannot be compiled for the cpu");
  if (entries.size() > 1)
    entries.push_back(
        emitChoice(*entries[0], *entries[1], condition, info, kEntryName));
  if (planned->side.kernel) {
    llvm::Function *alone = entries.back();
    if (!emit(planned->together))
      return failureOf("the kernel cannot be compiled for the cpu");
    alone->setName("cpu." + info.name);
    entries.push_back(emitSideBySide(*entries.back(), *alone, planned->side,
                                     info, kEntryName));
  }
  entries.back()->setName(kEntryName);
  entries.back()->setLinkage(llvm::GlobalValue::ExternalLinkage);
  entries.back()->setDSOLocal(false);
  // Where f16 is computed as integers, LLVM must not turn them into floats
  // again (clearing the sign bit into fabs): it would emit calls of conversion
  // routines that are in no library.
  if (!expansion.hasF16Conversions)
    for (llvm::Function &function : *result)
      function.addFnAttr(llvm::Attribute::NoImplicitFloat);
  return std::move(result);
}

} // namespace nereid::cpu
