// Forms.cpp - plans the forms of a kernel, each for some launches.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Forms.h"

#include "../image.h"
#include "kernel/OutOfResources.h"
#include "plan/ColumnParts.h"
#include "plan/DisjointAxis.h"
#include "plan/Interleave.h"
#include "plan/Masks.h"
#include "plan/PlainAtomics.h"
#include "plan/RowGroups.h"
#include "plan/RowParts.h"
#include "plan/RowSteps.h"
#include "plan/SplitIndex.h"
#include "plan/Streams.h"
#include "plan/TurnedLoads.h"
#include "plan/UnitStrides.h"

using namespace mlir;

namespace nereid::cpu {

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
    return llvm::createStringError("the kernel cannot be compiled for the cpu");
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

llvm::Expected<KernelForms>
planForms(tt::FuncOp kernel, const GenerateOptions &options, KernelInfo &info) {
  planDisjointAxis(kernel, options, info);
  KernelForms result;
  result.side = copySideBySide(kernel, options);
  shortenRowSteps(kernel, options);
  if (options.fastPaths.has(FastPath::TurnedLoads))
    turnLoads(kernel, options);
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

} // namespace nereid::cpu
