// PlanQueues.cpp - dots in loops that wait until the operands of several
// rounds are there.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Plan.h"

using namespace mlir;

namespace nereid::cpu {

// Operands that wait lie in the second cache, beside the sums. What all rows
// are multiplied with, a panel of the right operand, stays in the first.
static constexpr int64_t kQueueBytes = 128 << 10;
static constexpr int64_t kPanelBytes = 16 << 10;

/// Bytes that one round adds to the panel of a dot.
static int64_t panelBytesOf(tt::DotOp dot, const DotPlan &plan) {
  // Tile registers multiply with two tiles at a time.
  int64_t columns = plan.kind == DotKind::Tiles
                        ? 2 * plan.packing.columns
                        : plan.block.lanes * plan.block.vectors;
  auto right = dot.getB().getType();
  return right.getShape()[right.getRank() - 2] * columns *
         right.getElementTypeBitWidth() / 8;
}

/// True when nothing but `dot` uses the sums that `loop` carries for it, and
/// they are updated in place: then they may be behind until the loop ends.
static bool onlyAddsToCarried(tt::DotOp dot, scf::ForOp loop,
                              const TileProgram &program) {
  auto sums = dyn_cast<BlockArgument>(dot.getC());
  if (!sums || sums.getOwner() != loop.getBody() || !sums.hasOneUse() ||
      !dot->hasOneUse())
    return false;
  if (loop.getTiedLoopYieldedValue(sums)->get() != dot.getResult())
    return false;
  auto tile = program.carried.find(sums);
  return tile != program.carried.end() &&
         tile->second.current == tile->second.next;
}

/// The rounds of `loop`, if that is known.
static std::optional<int64_t> roundsOf(scf::ForOp loop) {
  auto lower = getConstantIntValue(loop.getLowerBound());
  auto upper = getConstantIntValue(loop.getUpperBound());
  auto step = getConstantIntValue(loop.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return std::nullopt;
  return std::max<int64_t>(0, llvm::divideCeilSigned(*upper - *lower, *step));
}

/// Lets `dot` wait, with the buffers that it reads and `loop` writes, unless one
/// of them cannot hold several tiles.
void Planner::addToQueue(tt::DotOp dot, scf::ForOp loop, DotQueue &queue) {
  if (!onlyAddsToCarried(dot, loop, *program))
    return;
  SmallVector<const Buffer *, 2> buffers;
  const DotPlan &plan = program->dots.at(dot);
  // With few sums in registers, other loads come first: on AVX2 a queue made
  // products of f32 5 to 20 % slower.
  if (plan.kind == DotKind::Elements && vectorBits < 512 &&
      options.machine->getTargetTriple().isX86())
    return;
  for (unsigned side : {0, 1}) {
    Value operand = dot->getOperand(side);
    if (operand.getParentBlock() != loop.getBody())
      continue;
    if (side == 1 && plan.packed) {
      buffers.push_back(plan.packed);
      continue;
    }
    // What is passed on has its place in a plan of its own.
    const Buffer *buffer = program->kept.lookup(operand);
    if (!buffer || isa<BlockArgument>(operand) || isPassedOn(buffer))
      return;
    buffers.push_back(buffer);
  }
  queue.buffers.insert(buffers.begin(), buffers.end());
  queue.dots.push_back(dot);
}

bool Planner::isPassedOn(const Buffer *buffer) const {
  auto isIt = [&](const auto &entry) { return entry.second == buffer; };
  return llvm::any_of(program->passed, isIt) ||
         llvm::any_of(program->carried, [&](const auto &entry) {
           return entry.second.current == buffer || entry.second.next == buffer;
         });
}

/// Lets dots wait where a loop does nothing with their sums but add to them.
void Planner::queueDots() {
  if (!options.fastPaths.has("dot-queue"))
    return;
  function.walk([&](scf::ForOp loop) {
    DotQueue queue;
    for (const Step &step : program->blocks[loop.getBody()].steps)
      if (step.kind == StepKind::Dot)
        addToQueue(cast<tt::DotOp>(step.op), loop, queue);
    int64_t bytes = 0;
    for (const Buffer *buffer : queue.buffers)
      bytes += buffer->bytes();
    if (!bytes)
      return;
    queue.rounds = kQueueBytes / bytes;
    for (tt::DotOp dot : queue.dots)
      queue.rounds = std::min(
          queue.rounds, kPanelBytes / panelBytesOf(dot, program->dots.at(dot)));
    if (std::optional<int64_t> rounds = roundsOf(loop))
      queue.rounds = std::min(queue.rounds, *rounds);
    if (queue.rounds < 2)
      return;
    for (auto &buffer : program->buffers)
      if (queue.buffers.contains(buffer.get()))
        buffer->tiles = queue.rounds;
    program->queues[loop] = std::move(queue);
  });
}

} // namespace nereid::cpu
