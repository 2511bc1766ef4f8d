// PlainAtomics.cpp - atomic operations that need no lock.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/PlainAtomics.h"

#include "../image.h"

#include "nereid/codegen/Expand.h"
#include "plan/Planner.h"

using namespace mlir;

namespace nereid::cpu {

bool mayBePlain(Operation *op, const GenerateOptions &options) {
  if (!options.fastPaths.has(FastPath::ExclusiveLaunches))
    return false;
  if (auto update = dyn_cast<tt::AtomicRMWOp>(op))
    return update.getScope() != tt::MemSyncScope::SYSTEM;
  auto swap = dyn_cast<tt::AtomicCASOp>(op);
  return swap && swap.getScope() != tt::MemSyncScope::SYSTEM;
}

bool canUpdateVectors(tt::AtomicRMWOp op, const TileProgram &program) {
  Type element = getElementTypeOrSelf(op.getVal().getType());
  if (!op->use_empty() || !isa<RankedTensorType>(op.getPtr().getType()) ||
      !element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8 ||
      program.isOpaque(op.getPtr()))
    return false;
  tt::FuncOp update = codegen::findAtomicUpdate(op);
  return !update || isStraightLine(update.getBody());
}

bool canCombineValues(tt::AtomicRMWOp op, const TileProgram &program,
                      const GenerateOptions &options) {
  if (!options.fastPaths.has(FastPath::AtomicRuns) ||
      !canUpdateVectors(op, program) || codegen::findAtomicUpdate(op) ||
      op.getAtomicRmwOp() == tt::RMWOp::XCHG)
    return false;
  // Sums of floats are rounded in another order; those of short ones would be
  // rounded more often where they are not the sums of one address.
  Type element = getElementTypeOrSelf(op.getVal().getType());
  return element.getIntOrFloatBitWidth() >= 32 &&
         (element.isInteger() || options.reassociate);
}

std::optional<unsigned> runsOf(tt::AtomicRMWOp update, const Nest &nest,
                               int64_t lanes, codegen::TileForms &forms) {
  constexpr int64_t kMost = 8;
  const codegen::TileForm *form = forms.of(update.getPtr());
  if (!form)
    return 1;
  unsigned axis = nest.vectorAxis;
  if (form->termDims() >> axis & 1)
    return 1;
  if (form->strides[axis].constant() != 0)
    return std::nullopt;
  return std::min<int64_t>(kMost, nest.shape[axis] / lanes);
}

/// The operations that `program` does on vectors of neighbours.
static llvm::DenseSet<Operation *>
findUpdatesOfNeighbours(const TileProgram &program) {
  llvm::DenseSet<Operation *> found;
  for (auto &[block, plan] : program.blocks)
    for (const Step &step : plan.steps)
      if (step.kind == StepKind::Nest && step.nest->plainLanes > 1 &&
          !step.nest->combinesRuns)
        found.insert(step.nest->inners.front().roots.front().op);
  return found;
}

void planPlainAtomics(const TileProgram &program,
                      const GenerateOptions &options, KernelInfo &info) {
  llvm::DenseSet<Operation *> vectors = findUpdatesOfNeighbours(program);
  int64_t all = 0, neighbours = 0; // elements
  const_cast<tt::FuncOp &>(program.function).walk([&](Operation *op) {
    if (!mayBePlain(op, options))
      return;
    auto tile = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    int64_t count = tile ? tile.getNumElements() : 1;
    all += count;
    neighbours += vectors.contains(op) ? count : 0;
  });
  if (!all || !(info.flags & NEREID_CPU_KERNEL_NEVER_WAITS) ||
      info.flags & NEREID_CPU_KERNEL_PRINTS)
    return;
  info.flags |= NEREID_CPU_KERNEL_PLAIN_ATOMICS;
  if (2 * neighbours > all)
    info.flags |= NEREID_CPU_KERNEL_ATOMIC_NEIGHBOURS;
}

} // namespace nereid::cpu
