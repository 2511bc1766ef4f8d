// DeferredDots.cpp - which dots of a loop are deferred to multiply the operands
// of several iterations at once.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "analysis/Induction.h"
#include "plan/Planner.h"

using namespace mlir;

namespace nereid::cpu {

/// Bytes that one iteration adds to the packed panel of a dot.
static int64_t panelBytesOf(tt::DotOp dot, const DotPlan &plan) {
  // Tile registers multiply with two tiles at a time.
  int64_t columns = plan.kind == DotKind::Tiles
                        ? 2 * plan.packing.columns
                        : plan.block.lanes * plan.block.vectors;
  auto right = dot.getB().getType();
  return right.getShape()[right.getRank() - 2] * columns * plan.terms *
         right.getElementTypeBitWidth() / 8;
}

/// True when only `dot` uses the sums that a loop carries for it, and they are
/// updated in place: then they need not be up to date until the loop ends.
static bool onlyAddsToCarried(tt::DotOp dot, const TileProgram &program) {
  if (!isAccumulation(dot))
    return false;
  auto tile = program.carried.find(dot.getC());
  return tile != program.carried.end() &&
         tile->second.current == tile->second.next;
}

/// The trip count of `loop`, if constant.
static std::optional<int64_t> tripCountOf(scf::ForOp loop) {
  auto lower = getConstantIntValue(loop.getLowerBound());
  auto upper = getConstantIntValue(loop.getUpperBound());
  auto step = getConstantIntValue(loop.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return std::nullopt;
  return std::max<int64_t>(0, llvm::divideCeilSigned(*upper - *lower, *step));
}

/// Defers `dot`, with the buffers that it reads and `loop` writes, unless one
/// of them cannot hold several tiles.
void Planner::addToDeferred(tt::DotOp dot, scf::ForOp loop,
                            DeferredDots &deferred) {
  if (!onlyAddsToCarried(dot, *program))
    return;
  SmallVector<const Buffer *, 2> buffers;
  const DotPlan &plan = program->dots.at(dot);
  for (DotOperand operand : {plan.left, plan.right}) {
    if (operand.value.getParentBlock() != loop.getBody())
      continue;
    if (operand.packed) {
      buffers.push_back(operand.packed);
      continue;
    }
    // A buffer that is passed to another block holds a single tile.
    const Buffer *buffer = program->materialized.lookup(operand.value);
    if (!buffer || isa<BlockArgument>(operand.value) || isPassedOn(buffer))
      return;
    buffers.push_back(buffer);
  }
  deferred.buffers.insert(buffers.begin(), buffers.end());
  deferred.dots.push_back(dot);
}

bool Planner::isPassedOn(const Buffer *buffer) const {
  auto isIt = [&](const auto &entry) { return entry.second == buffer; };
  return llvm::any_of(program->passed, isIt) ||
         llvm::any_of(program->carried, [&](const auto &entry) {
           return entry.second.current == buffer || entry.second.next == buffer;
         });
}

/// Lets the deferred dots prefetch the iterations after those that they
/// multiply. The hardware prefetcher does not detect tiles with few lines per
/// row, and while operands are copied there is no other work to hide the
/// latency.
void Planner::planPrefetches(scf::ForOp loop, DeferredDots &deferred) {
  if (!options.fastPaths.has(FastPath::DotPrefetch))
    return;
  DenseSet<Value> prefetched;
  for (tt::DotOp dot : deferred.dots) {
    const DotPlan &plan = program->dots.at(dot);
    for (auto use : {Prefetch::Use::Left, Prefetch::Use::Right}) {
      const DotOperand &operand =
          use == Prefetch::Use::Left ? plan.left : plan.right;
      RootReads reads = readsOf({RootKind::Materialize, nullptr, operand.value,
                                 program->materialized.lookup(operand.value)},
                                *program);
      for (const TileRead &read : reads.loads) {
        auto load = read.value.getDefiningOp<tt::LoadOp>();
        const codegen::TileForm *found = forms.of(load.getPtr());
        if (load->getParentOp() != loop || !found || read.map.size() != 2 ||
            !getElementTypeOrSelf(read.value).isIntOrFloat() ||
            !prefetched.insert(read.value).second)
          continue;
        codegen::TileForm form = forms.unwrapped(*found);
        bool hasRows = form.strides[1].constant() == 1;
        bool hasColumns = form.strides[0].constant() == 1;
        auto advance = advanceOf(form.base, loop);
        if (!form.isAffine() || hasRows == hasColumns || !advance ||
            advance->isZero())
          continue;
        form.base = form.base + *advance;
        deferred.prefetches.push_back({dot, use, read.value, std::move(form),
                                       *advance, hasRows ? 0u : 1u});
      }
    }
  }
}

/// True if the sums that `loop` carries for `dot` are zeros before it: then the
/// nest that writes these is left out where the loop runs. Registers are
/// cleared in no time, while memory is written and read as slowly as by several
/// products.
bool Planner::startsAtZero(tt::DotOp dot, scf::ForOp loop) {
  auto sums = cast<BlockArgument>(dot.getC());
  Value init = loop.getTiedLoopInit(sums)->get();
  if (!(matchPattern(init, m_PosZeroFloat()) || matchPattern(init, m_Zero())))
    return false;
  auto &steps = program->blocks[loop->getBlock()].steps;
  auto it =
      llvm::find_if(steps, [&](const Step &step) { return step.op == loop; });
  if (it == steps.begin() || it == steps.end())
    return false;
  // The bounds of the loop are known after all steps before it.
  const Step &before = *std::prev(it);
  if (before.kind != StepKind::Nest || before.nest->inners.size() != 1 ||
      before.nest->inners.front().roots.size() != 1)
    return false;
  const Root &root = before.nest->inners.front().roots.front();
  if (root.kind != RootKind::Materialize ||
      root.target != program->carried.lookup(sums).current)
    return false;
  before.nest->unlessRun = loop;
  return true;
}

/// Scratch for DeferredDots::rowTiles.
const Buffer *Planner::makeRowTiles(tt::DotOp dot) {
  constexpr int64_t kSide = CpuModel::kTileColumns;
  int64_t columns = dot.getType().getShape().back() / kSide;
  return makeBuffer(RankedTensorType::get(
      {kPackedTiles + columns, kSide, kSide}, dot.getType().getElementType()));
}

/// The operands of how many iterations, `bytes` of each, may be deferred in
/// `most` bytes.
int64_t Planner::mostDeferred(const DeferredDots &deferred, scf::ForOp loop,
                              int64_t bytes, int64_t most) {
  int64_t iterations = most / bytes;
  for (tt::DotOp dot : deferred.dots) {
    const DotPlan &plan = program->dots.at(dot);
    int64_t panel = plan.kind == DotKind::Tiles ? options.cpu.tilePanelBytes
                                                : options.cpu.panelBytes;
    iterations = std::min(
        iterations, std::max<int64_t>(panel / panelBytesOf(dot, plan), 1));
  }
  return std::min(iterations, tripCountOf(loop).value_or(iterations));
}

/// Defers dots in loops that do nothing with their sums but add to them.
void Planner::deferDots() {
  if (!options.fastPaths.has(FastPath::DotDeferred))
    return;
  function.walk([&](scf::ForOp loop) {
    DeferredDots deferred;
    for (const Step &step : program->blocks[loop.getBody()].steps)
      if (step.kind == StepKind::Dot)
        addToDeferred(cast<tt::DotOp>(step.op), loop, deferred);
    int64_t bytes = 0;
    for (const Buffer *buffer : deferred.buffers)
      bytes += buffer->bytes();
    if (!bytes)
      return;
    bool hasOne = deferred.dots.size() == 1;
    // What stays packed for the programs that follow pays if it is large: sums
    // are read and written less often.
    deferred.iterations =
        mostDeferred(deferred, loop, bytes, options.cpu.sharedDeferredBytes);
    if (hasOne && deferred.iterations > 0)
      deferred.shared =
          planShared(deferred.dots.front(), loop, deferred.iterations);
    if (!deferred.shared)
      deferred.iterations =
          mostDeferred(deferred, loop, bytes, options.cpu.deferredBytes);
    if (deferred.iterations < 1)
      return;
    for (auto &buffer : program->buffers)
      if (deferred.buffers.contains(buffer.get()))
        buffer->tiles = deferred.iterations;
    for (tt::DotOp dot : deferred.dots)
      if (Buffer *terms = program->dots.at(dot).leftTerms)
        terms->tiles = deferred.iterations;
    if (hasOne) {
      tt::DotOp dot = deferred.dots.front();
      deferred.inPlace[0] = planInPlace(dot, loop, /*isRight=*/false);
      deferred.inPlace[1] = planInPlace(dot, loop, /*isRight=*/true);
      deferred.packed = planPacked(dot, loop);
      if (deferred.inPlace[1] && deferred.inPlace[1]->isByColumns &&
          program->dots.at(dot).kind == DotKind::Tiles &&
          program->dots.at(dot).terms == 1)
        deferred.rowTiles = makeRowTiles(dot);
      deferred.startsAtZero = startsAtZero(dot, loop);
    }
    planPrefetches(loop, deferred);
    if (hasOne)
      planResult(loop, deferred);
    program->deferredDots[loop] = std::move(deferred);
  });
}

} // namespace nereid::cpu
