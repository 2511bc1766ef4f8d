// Generate.cpp - one kernel: from its TTIR to a function over ranges of
// programs.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Generate.h"

#include "../image.h"
#include "analysis/Induction.h"
#include "emit/Choice.h"
#include "emit/Entry.h"
#include "emit/SideBySide.h"
#include "kernel/OutOfResources.h"
#include "nereid/codegen/Expand.h"
#include "nereid/ttir/Parse.h"
#include "plan/Accumulators.h"
#include "plan/ColumnParts.h"
#include "plan/DisjointAxis.h"
#include "plan/DotTypes.h"
#include "plan/Interleave.h"
#include "plan/Masks.h"
#include "plan/PlainAtomics.h"
#include "plan/RowGroups.h"
#include "plan/RowParts.h"
#include "plan/RowSteps.h"
#include "plan/ShortBranches.h"
#include "plan/ShortLoops.h"
#include "plan/SplitIndex.h"
#include "plan/Streams.h"
#include "plan/UnitStrides.h"

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

namespace {
/// A form of the kernel: what to emit for it.
struct KernelForm {
  std::unique_ptr<TileProgram> program;
  std::unique_ptr<codegen::TileForms> forms;
  GenerateOptions options;
  bool streams = false;
};

/// The forms of a kernel: all there is, or first one that relies on
/// `condition`.
struct KernelForms {
  SmallVector<KernelForm, 2> list;
  FormCondition condition;
  /// One that runs programs together, before all others; its kernel may be
  /// null.
  SideBySide side;
  KernelForm together;
};
} // namespace

/// Plans `kernel`, and adds what the driver has to know to `info`.
static llvm::Expected<KernelForm> planForm(tt::FuncOp kernel, bool mayDivide,
                                           const GenerateOptions &options,
                                           KernelInfo &info,
                                           Value together = {}) {
  codegen::TileForms planned;
  std::optional<RowParts> parts;
  if (mayDivide)
    parts = divideRows(kernel, planned, options, info);
  auto planning = planTileProgram(kernel, parts, planned, options);
  if (failed(planning))
    return failureOf("the kernel cannot be compiled for the cpu");
  KernelForm form;
  form.program = std::move(*planning);
  form.options = options;
  TileProgram &program = *form.program;
  info.scratchSize = std::max(info.scratchSize, program.scratchBytes);
  if (program.scratchBytes > kMaxScratchBytes)
    return llvm::make_error<codegen::OutOfResourcesError>(
        program.scratchBytes, kMaxScratchBytes,
        "bytes of scratch for its tiles");
  form.forms = std::make_unique<codegen::TileForms>(
      [&program](Value value) { return program.isOpaque(value); });
  if (options.fastPaths.has(FastPath::MaskIntervals))
    planMasks(program, *form.forms, options);
  planPlainAtomics(program, options, info);
  program.together = together;
  if (!together) {
    planInterleaving(program, *form.forms, options);
    planGridOrder(program, *form.forms, options);
  }
  // In a loop that never runs it stores nothing.
  form.streams = info.streamedBytesPerProgram &&
                 planStreams(program, *form.forms, options);
  return form;
}

/// May each value of `kernel` have a buffer? So it is without fast paths.
static bool hasRoomForBuffers(tt::FuncOp kernel) {
  constexpr uint64_t kMost = kMaxScratchBytes / 8;
  constexpr uint64_t kElementBytes = 8;
  uint64_t bytes = 0;
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<RankedTensorType>(type))
        bytes += kElementBytes * tile.getNumElements();
  });
  return bytes <= kMost;
}

/// Splits columns of `kernel` and of `special`, a form of it or null. If some
/// grids allow more than all do, there is a special form after that.
static void splitColumnsOf(tt::FuncOp kernel, tt::FuncOp &special,
                           FormCondition &condition) {
  splitColumns(kernel);
  if (special)
    splitColumns(special);
  GridLimits grids = gridsOfSplitColumns(special ? special : kernel);
  if (grids == kAnyGrid)
    return;
  if (!special)
    special = cast<tt::FuncOp>(OpBuilder(kernel).clone(*kernel));
  splitColumnsOfGrid(special);
  condition.mostPrograms = grids;
}

/// The forms of the kernel: for all launches, and before that one for those in
/// which strides are one, no index overflows, or nothing is read that was
/// stored.
static llvm::Expected<KernelForms>
planForms(tt::FuncOp kernel, const GenerateOptions &options, KernelInfo &info) {
  planDisjointAxis(kernel, options, info);
  KernelForms result;
  result.side = copySideBySide(kernel, options);
  shortenRowSteps(kernel, options);
  GenerateOptions general = options;
  tt::FuncOp special;
  if (options.fastPaths.has(FastPath::UnitStrides))
    result.condition.ones = findUnitStrides(kernel);
  if (!result.condition.ones.empty()) {
    special = copyWithUnitStrides(kernel, result.condition.ones);
  } else if (options.fastPaths.has(FastPath::SplitIndex)) {
    SplitKernel split = copyWithSplitIndex(kernel);
    special = split.kernel;
    if (special)
      result.condition.mostPrograms = split.mostPrograms;
  }
  bool isSplit = special && result.condition.ones.empty();
  if (options.fastPaths.has(FastPath::SplitIndex) && !isSplit)
    splitColumnsOf(kernel, special, result.condition);
  GroupedKernel grouped =
      copyWithRowGroups(special ? special : kernel, options, info);
  if (grouped.kernel) {
    special = grouped.kernel;
    result.condition.formula = std::move(grouped.condition);
  }
  // No real tensor has so many elements that an index overflows: the form for
  // such grids should cost little to compile.
  bool isForGrids = special && result.condition.isOfGrids();
  if (isForGrids && hasRoomForBuffers(kernel))
    general.fastPaths = FastPaths::none();
  SmallVector<KernelForm, 2> &forms = result.list;
  bool streams = false;
  if (const SideBySide &side = result.side; side.kernel) {
    auto form = planForm(side.kernel, false, options, info, side.count);
    if (!form)
      return form.takeError();
    streams = form->streams;
    result.together = std::move(*form);
    // Nothing runs alone unless divisors are small.
    if (side.divisions.empty() && hasRoomForBuffers(kernel))
      general.fastPaths = FastPaths::none();
  }
  for (tt::FuncOp each : {special, kernel}) {
    if (!each)
      continue;
    // The driver divides all programs of a launch, or none.
    bool mayDivide = !special && !result.side.kernel;
    auto form =
        planForm(each, mayDivide, each == kernel ? general : options, info);
    if (!form)
      return form.takeError();
    streams |= form->streams;
    forms.push_back(std::move(*form));
  }
  if (!(info.flags & NEREID_CPU_KERNEL_PLAIN_ATOMICS))
    info.disjointCondition.clear();
  if (!streams)
    info.streamedBytesPerProgram = info.streamedStep = 0;
  // Whether the order matters does not depend on strides.
  for (KernelForm &form : forms)
    form.program->fastestAxis = result.side.kernel
                                    ? result.side.axis
                                    : forms.front().program->fastestAxis;
  static constexpr uint32_t kAlong[] = {0, NEREID_CPU_KERNEL_ALONG_Y,
                                        NEREID_CPU_KERNEL_ALONG_Z};
  info.flags |= kAlong[forms.front().program->fastestAxis];
  return std::move(result);
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
