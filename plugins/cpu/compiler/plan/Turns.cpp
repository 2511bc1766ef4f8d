// Turns.cpp - loops in which programs take turns to share operands of dots.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The programs of one head of attention read the same keys and values, a block
// in each iteration. If each runs one iteration in turn, a block is copied, and
// packed for the product, once for all of them. Programs that do not wait for
// each other may run at the same time; so neither an iteration nor what is
// before the loop may have an effect.
//
// With deferred dots they run some iterations each. Of the programs of a
// product that is split along its depth, some have the same rows of the left
// operand, and others the same columns of the right one.

#include "plan/Interleave.h"
#include "plan/KeyReader.h"
#include "plan/Planner.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace nereid::cpu {

static constexpr int64_t kMostSharing = 8;
static constexpr size_t kLongestKey = 8;

/// May what precedes a loop run before other programs do, and its scalars
/// again?
static bool mayPrecede(Operation &op) {
  codegen::TileOpKind kind = codegen::infoOf(&op).kind;
  bool isPlain = isMemoryEffectFree(&op) || isa<LLVM::AssumeOp>(op) ||
                 (isa<tt::LoadOp>(op) && !isVolatileLoad(&op));
  // Scalars are computed again in each turn, but for those of nests.
  bool isRepeated = kind == codegen::TileOpKind::Scalar ||
                    llvm::all_of(op.getResults(), isTile);
  return kind != codegen::TileOpKind::Region && isPlain && isRepeated;
}

/// The first loop of a function that does not return after it but at its end,
/// if nothing before it has an effect; or null.
static scf::ForOp findSharingLoop(const TileProgram &program) {
  SmallVector<Block *, 2> blocks = blocksInOrder(program.function);
  for (Block *block : blocks)
    for (Operation &op : *block) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        return block == blocks.back() && !program.elementLoops.contains(loop)
                   ? loop
                   : scf::ForOp();
      if (&op != block->getTerminator() && !mayPrecede(op))
        return {};
    }
  return {};
}

/// Does `value` differ between programs that follow one another along `axis`?
static bool differsInNext(Value value, unsigned axis) {
  auto isId = [&](Value factor) {
    auto id = factor.getDefiningOp<tt::GetProgramIdOp>();
    return id && unsigned(id.getAxisAsInt()) == axis;
  };
  codegen::Polynomial polynomial = codegen::Polynomial::of(value);
  return llvm::any_of(polynomial.terms(), [&](const codegen::Monomial &term) {
    return llvm::any_of(term.factors, isId);
  });
}

namespace {
/// A buffer that a step of a loop fills with `value`.
struct Filled {
  Value value;
  const Buffer *buffer;
  bool isRight = false; // of a dot
};
} // namespace

/// What the steps of `loop` fill, each buffer by one of them: right operands of
/// dots, which most programs share, first.
static SmallVector<Filled> findFilled(scf::ForOp loop,
                                      const TileProgram &program) {
  SmallVector<Filled> filled;
  llvm::DenseSet<const Buffer *> rights;
  for (const Step &step : program.blocks.at(loop.getBody()).steps) {
    if (step.kind == StepKind::Nest && step.nest->inners.size() == 1 &&
        step.nest->inners.front().roots.size() == 1) {
      const Root &root = step.nest->inners.front().roots.front();
      if (root.kind == RootKind::Materialize)
        filled.push_back({root.value, root.target});
    } else if (step.kind == StepKind::Dot) {
      const DotPlan &plan = program.dots.at(step.op);
      for (const DotOperand &operand : {plan.left, plan.right})
        if (operand.packed)
          filled.push_back({operand.value, operand.packed});
      rights.insert(plan.right.packed);
      rights.insert(program.materialized.lookup(plan.right.value));
    }
  }
  llvm::DenseMap<const Buffer *, unsigned> writers;
  loop->walk([&](Block *block) {
    if (auto plan = program.blocks.find(block); plan != program.blocks.end())
      for (const Step &step : plan->second.steps) {
        if (step.kind == StepKind::Dot)
          ++writers[program.materialized.lookup(step.op->getResult(0))];
        if (step.kind == StepKind::Nest)
          for (const Inner &inner : step.nest->inners)
            for (const Root &root : inner.roots)
              ++writers[root.target];
      }
  });
  llvm::erase_if(filled,
                 [&](const Filled &one) { return writers[one.buffer] > 1; });
  for (Filled &one : filled)
    one.isRight = rights.contains(one.buffer);
  std::stable_partition(filled.begin(), filled.end(),
                        [](const Filled &one) { return one.isRight; });
  return filled;
}

/// Finds the buffers that all programs of a turn share. Returns false if they
/// should not take turns.
bool Planner::planSharedBuffers(TurnLoop &turns) {
  SmallVector<Filled> filled = findFilled(turns.loop, *program);
  llvm::SetVector<Value> keys = turns.key;
  for (const Filled &one : filled)
    if (one.isRight)
      KeyReader(turns.loop, keys).visit(one.value);
  turns.axis = axisOfSharing(*program, keys.getArrayRef(), options);
  bool hasRight = false;
  for (const Filled &one : filled) {
    llvm::SetVector<Value> key;
    auto differs = [&](Value value) {
      return differsInNext(value, turns.axis);
    };
    if (isPassedOn(one.buffer) ||
        !KeyReader(turns.loop, key).visit(one.value) ||
        llvm::any_of(key, differs))
      continue;
    // A longer key, for a left operand, would keep programs apart.
    bool isLonger = llvm::any_of(
        key, [&](Value value) { return !turns.key.contains(value); });
    if (isLonger && !one.isRight)
      continue;
    turns.key.insert(key.begin(), key.end());
    turns.shared.insert(one.buffer);
    hasRight |= one.isRight;
  }
  return hasRight && turns.key.size() <= kLongestKey;
}

/// Does nothing but `dot` use `value`, or a tt.trans of it?
static bool isOnlyFor(tt::DotOp dot, Value value) {
  if (!value.hasOneUse())
    return false;
  Operation *user = *value.user_begin();
  return user == dot || (isa<tt::TransOp>(user) && user->hasOneUse());
}

/// Finds the operands of deferred dots that some of the programs share: those
/// that are copied, whatever the rows of sums that a program needs. Returns
/// false if programs should not take turns.
bool Planner::planTurnOperands(TurnLoop &turns, const DeferredDots &deferred) {
  auto swaps = [&](Value argument) {
    CarriedTile tile = program->carried.lookup(argument);
    return tile.current != tile.next;
  };
  // What one program leaves for all that follow is shared already. With the
  // same bounds, who fills an operand has each iteration of the others.
  if (deferred.shared || deferred.store ||
      llvm::any_of(turns.loop.getRegionIterArgs(), swaps) ||
      !KeyReader(turns.loop, turns.key).visit(turns.loop.getUpperBound()))
    return false;
  llvm::DenseSet<const Buffer *> filled;
  for (const Filled &one : findFilled(turns.loop, *program))
    filled.insert(one.buffer);
  for (tt::DotOp dot : deferred.dots) {
    const DotPlan &plan = program->dots.at(dot);
    for (auto [operand, inPlace] :
         {std::pair(plan.left, &deferred.inPlace[0]),
          std::pair(plan.right, &deferred.inPlace[1])}) {
      TurnOperand shared;
      const Buffer *unpacked = program->materialized.lookup(operand.value);
      const Buffer *tiles = operand.packed ? operand.packed : unpacked;
      if (*inPlace || !deferred.buffers.contains(tiles) ||
          !filled.contains(tiles) || turns.shared.contains(tiles) ||
          !KeyReader(turns.loop, shared.key).visit(operand.value) ||
          shared.key.size() > kLongestKey)
        continue;
      if (operand.packed && filled.contains(unpacked) &&
          isOnlyFor(dot, operand.value))
        shared.unpacked = unpacked;
      for (auto &buffer : program->buffers)
        if (buffer.get() == tiles)
          shared.tiles = buffer.get();
      turns.shared.insert(tiles);
      if (shared.unpacked)
        turns.shared.insert(shared.unpacked);
      turns.operands.push_back(std::move(shared));
    }
  }
  return !turns.operands.empty();
}

/// Gives each program a copy of what it must keep, in `room` bytes for all.
/// Sets the number of programs, `most` or less.
void Planner::separatePrograms(TurnLoop &turns, int64_t most, int64_t room) {
  turns.own = buffersBetweenIterations(*program, turns.loop);
  llvm::SetVector<Buffer *> copied = turns.own;
  for (const TurnOperand &operand : turns.operands)
    copied.insert(operand.tiles);
  int64_t bytes = 0;
  for (Buffer *buffer : copied) {
    bool isTiled = buffer->tiles > 1 && turns.own.contains(buffer);
    if (buffer->isInRegisters || buffer->groups > 1 || isTiled)
      return;
    bytes += llvm::alignTo(buffer->groupStride(), kScratchAlign);
  }
  turns.programs = std::min(most, room / std::max<int64_t>(bytes, 1));
  if (turns.programs < 2)
    return;
  for (Buffer *buffer : copied) {
    uint64_t stride = buffer->groupStride();
    buffer->groups = turns.programs;
    buffer->padding = llvm::alignTo(stride, kScratchAlign) - stride;
  }
}

void Planner::planTurns() {
  scf::ForOp loop = findSharingLoop(*program);
  FastPath path = program->dots.empty() ? FastPath::InterleavedPrograms
                                        : FastPath::DotTurns;
  if (!options.fastPaths.has(path) || !loop || program->joint ||
      !program->heldSums.empty() || !onlyReads(loop))
    return;
  TurnLoop turns{loop};
  KeyReader bounds(loop, turns.key);
  if (!bounds.visit(loop.getLowerBound()) || !bounds.visit(loop.getStep()))
    return;
  auto deferred = program->deferredDots.find(loop);
  int64_t most = kMostSharing, room = options.cpu.sharedBytes;
  if (program->dots.empty()) {
    // Sums that leave the first cache cost more than the order gains.
    most = parts ? 0 : programsOfRows(loop, forms);
    room = options.cpu.panelBytes;
  } else if (deferred == program->deferredDots.end())
    most = planSharedBuffers(turns) ? most : 0;
  else
    most = planTurnOperands(turns, deferred->second) ? most : 0;
  if (most)
    separatePrograms(turns, most, room);
  if (turns.programs < 2)
    return;
  program->fastestAxis = turns.axis;
  program->turns = std::move(turns);
}

} // namespace nereid::cpu
