// Loops.cpp - buffers of tiles that loops carry, and expressions that are
// worth a buffer.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/Planner.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::cpu {

// An expression with at most this much arithmetic is cheaper to evaluate again
// than to keep.
static constexpr unsigned kCheap = 12;

// A chain of tile operations that is longer and has several readers is cut by a
// buffer. No expansion of one function is as long.
static constexpr unsigned kLongChain = 512;

/// Without a buffer every reader's nest would evaluate the chain again, and
/// planning would walk it again: time that grows with the square of its length.
void Planner::materializeLongChains() {
  DenseMap<Value, unsigned> lengths;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isTileExpression(op))
      return;
    unsigned longest = 0;
    for (Value operand : op->getOperands())
      longest = std::max(longest, lengths.lookup(operand));
    for (Value result : op->getResults()) {
      bool isLong = longest >= kLongChain && !result.hasOneUse() &&
                    isTile(result) && !isIndexFunction(result);
      if (isLong)
        toMaterialize.insert(result);
      lengths[result] = toMaterialize.contains(result) ? 0 : longest + 1;
    }
  });
}

/// A loop updates a tile in place when nothing reads the old value once the
/// new one is being written, except each element for its own successor.
void Planner::shareBuffersInLoops() {
  if (!options.fastPaths.has(FastPath::InPlace))
    return;
  function.walk([&](scf::ForOp loop) {
    for (auto [argument, result] :
         llvm::zip(loop.getRegionIterArgs(), loop.getResults())) {
      auto tile = program->carried.find(argument);
      if (tile == program->carried.end() || !canShare(argument, tile->second))
        continue;
      Buffer *current = tile->second.current;
      replaceBuffer(tile->second.next, current);
      program->carried[argument].next = current;
      program->carried[result].next = current;
    }
  });
}

bool Planner::canShare(Value argument, const CarriedTile &tile) {
  Block *body = cast<BlockArgument>(argument).getOwner();
  BlockPlan &plan = program->blocks[body];
  auto isWritten = [&](const Root &root) {
    if (root.kind == RootKind::Materialize)
      return root.target == tile.next;
    return llvm::any_of(root.op->getResults(), [&](Value result) {
      return program->materialized.lookup(result) == tile.next;
    });
  };
  unsigned writeStep = ~0u, writeInner = 0;
  for (auto [index, step] : llvm::enumerate(plan.steps)) {
    if (step.kind == StepKind::Dot &&
        program->materialized.lookup(step.op->getResult(0)) == tile.next)
      writeStep = std::min(writeStep, unsigned(index));
    if (step.kind == StepKind::Nest)
      for (auto [place, inner] : llvm::enumerate(step.nest->inners))
        if (llvm::any_of(inner.roots, isWritten) && index < writeStep) {
          writeStep = index;
          writeInner = place;
        }
  }
  if (writeStep == ~0u)
    return false;
  for (const Place &place : readers[argument]) {
    unsigned step = place.step;
    if (place.block != body) {
      Operation *ancestor = body->findAncestorOpInBlock(*place.block->getParentOp());
      if (!ancestor)
        return false;
      step = stepOf.lookup(ancestor);
      if (step >= writeStep)
        return false;
      continue;
    }
    if (step < writeStep)
      continue;
    if (step > writeStep || !place.identity || place.inner > writeInner)
      return false;
  }
  return true;
}

/// Lets everything that `from` was for use `to`; copies onto itself go away.
void Planner::replaceBuffer(Buffer *from, Buffer *to) {
  for (auto &entry : program->materialized)
    if (entry.second == from)
      entry.second = to;
  for (auto &entry : program->passed)
    if (entry.second == from)
      entry.second = to;
  for (auto &entry : program->blocks)
    for (Step &step : entry.second.steps) {
      if (step.kind != StepKind::Nest)
        continue;
      for (Inner &inner : step.nest->inners) {
        for (Root &root : inner.roots)
          if (root.kind == RootKind::Materialize && root.target == from)
            root.target = to;
        llvm::erase_if(inner.roots, [&](const Root &root) {
          if (root.kind != RootKind::Materialize || root.target != to)
            return false;
          auto tile = program->carried.find(root.value);
          return tile != program->carried.end() &&
                 isa<BlockArgument>(root.value) && tile->second.current == to;
        });
      }
    }
}

/// Where everything made of `value` goes: the one root or kept value, or the
/// value itself if there are several. Of a chain, only its last value is worth
/// a buffer: the others have one reader left then.
static const void *sinkOf(Value value, const TileProgram &program,
                          DenseMap<Value, const void *> &known) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  const void *self = value.getAsOpaquePointer(), *sink = nullptr;
  auto reach = [&](const void *place) {
    sink = !sink || sink == place ? place : self;
  };
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (user->hasTrait<OpTrait::IsTerminator>())
      reach(&use); // each is passed on by a root of its own
    else if (!isTileExpression(user))
      reach(user);
    else
      for (Value result : user->getResults())
        reach(program.isMaterialized(result) ? result.getAsOpaquePointer()
                                     : sinkOf(result, program, known));
  }
  return known[value] = sink ? sink : self;
}

/// Gives a buffer to expensive expressions that several nests, or several
/// parts of one, would evaluate. True if there is a new one.
bool Planner::materializeExpensiveValues() {
  if (!options.fastPaths.has(FastPath::Recompute)) {
    bool grew = false;
    for (auto &[value, places] : streams)
      if (!isIndexFunction(value) && !program->isMaterialized(value))
        grew |= toMaterialize.insert(value);
    return grew;
  }
  SmallVector<Value> candidates;
  for (auto &[value, places] : streams) {
    bool several = llvm::any_of(places, [&](const Place &place) {
      return place.step != places.front().step ||
             place.inner != places.front().inner;
    });
    if (several && !program->isMaterialized(value) && !isIndexFunction(value) &&
        costOf(value, *program, forms) > kCheap)
      candidates.push_back(value);
  }
  // Operands come before what is made of them, so that a buffer chosen here
  // makes what reads it cheaper.
  llvm::sort(candidates, [&](Value a, Value b) {
    return order.lookup(a.getDefiningOp()) < order.lookup(b.getDefiningOp());
  });
  DenseMap<Value, const void *> sinks;
  bool grew = false;
  for (Value value : candidates)
    if (sinkOf(value, *program, sinks) == value.getAsOpaquePointer() &&
        costOf(value, *program, forms) > kCheap) {
      grew |= toMaterialize.insert(value);
      program->materialized.try_emplace(value, nullptr);
    }
  return grew;
}

} // namespace nereid::cpu
