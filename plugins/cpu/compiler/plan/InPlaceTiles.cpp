// InPlaceTiles.cpp - tiles that loops update in place.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A loop updates a tile in place if, once the new value is being written, the
// old value is read only to compute the same element of the new one. The new
// value may be that of a branch whose other side leaves the tile as it is, or
// of a loop that goes on with it, in the same buffer.

#include "plan/Planner.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <array>

using namespace mlir;

namespace nereid::cpu {

/// The operands that the sides of `branch` yield for `result`.
static std::array<Value, 2> yieldedFor(scf::IfOp branch, OpResult result) {
  unsigned number = result.getResultNumber();
  return {branch.thenYield().getOperand(number),
          branch.elseYield().getOperand(number)};
}

void Planner::shareBuffersInLoops() {
  if (!options.fastPaths.has(FastPath::InPlace))
    return;
  function.walk([&](scf::ForOp loop) {
    for (auto [argument, result] :
         llvm::zip(loop.getRegionIterArgs(), loop.getResults())) {
      auto tile = program->carried.find(argument);
      if (tile == program->carried.end())
        continue;
      Value yielded = loop.getTiedLoopYieldedValue(argument)->get();
      SmallVector<Buffer *, 2> buffers;
      if (!isUpdated(argument, loop.getBody(), yielded, tile->second.next,
                     buffers))
        continue;
      Buffer *current = tile->second.current;
      program->carried[argument].next = current;
      program->carried[result].next = current;
      for (Buffer *buffer : buffers)
        replaceBuffer(buffer, current);
      joinInnerLoop(argument, loop.getBody(), yielded);
    }
  });
}

/// If `block`, that of a loop which updates `argument` in place, passes on what
/// a loop in it makes of `argument`, in place too: gives that the same buffer.
void Planner::joinInnerLoop(Value argument, Block *block, Value yielded) {
  auto inner = yielded.getDefiningOp<scf::ForOp>();
  if (!inner || inner->getBlock() != block || !yielded.hasOneUse())
    return;
  auto result = cast<OpResult>(yielded);
  BlockArgument carried = inner.getTiedLoopRegionIterArg(result);
  if (inner.getTiedLoopInit(carried)->get() != argument)
    return;
  CarriedTile tile = program->carried.lookup(carried);
  Buffer *buffer = program->carried.lookup(argument).current;
  if (tile.current != tile.next || tile.current == buffer ||
      !isFirstWrite(argument, block, writeTo(tile.current, block)))
    return;
  for (auto &entry : program->carried)
    for (Buffer **used : {&entry.second.current, &entry.second.next})
      if (*used == tile.current)
        *used = buffer;
  replaceBuffer(tile.current, buffer);
}

/// Can `block` update `argument` in place, if it passes `yielded` in `target`?
/// Adds the buffers that are then that of `argument`.
bool Planner::isUpdated(Value argument, Block *block, Value yielded,
                        Buffer *target, SmallVectorImpl<Buffer *> &buffers) {
  buffers.push_back(target);
  auto branch = yielded.getDefiningOp<scf::IfOp>();
  if (!branch || branch->getBlock() != block || !yielded.hasOneUse())
    return isFirstWrite(argument, block, writeTo(target, block));
  if (!isFirstWrite(argument, block, {stepOf.lookup(branch), 0, branch}))
    return false;
  auto result = cast<OpResult>(yielded);
  return llvm::all_of(yieldedFor(branch, result), [&](Value value) {
    return value == argument ||
           isUpdated(argument, value.getParentBlock(), value,
                     program->passed.lookup(result), buffers);
  });
}

/// The first step of `block` that writes `buffer`.
Planner::Write Planner::writeTo(const Buffer *buffer, Block *block) {
  auto isWritten = [&](const Root &root) {
    if (root.kind == RootKind::Materialize)
      return root.target == buffer;
    return llvm::any_of(root.op->getResults(), [&](Value result) {
      return program->materialized.lookup(result) == buffer;
    });
  };
  Write write;
  for (auto [index, step] : llvm::enumerate(program->blocks[block].steps)) {
    if (step.kind == StepKind::Dot &&
        program->materialized.lookup(step.op->getResult(0)) == buffer)
      write.step = std::min(write.step, unsigned(index));
    if (step.kind == StepKind::Nest)
      for (auto [place, inner] : llvm::enumerate(step.nest->inners))
        if (llvm::any_of(inner.roots, isWritten) && index < write.step)
          write = {unsigned(index), unsigned(place)};
  }
  return write;
}

/// Does `block` read `argument` before `write` only, or to write the same
/// element? What a branch that writes reads is not looked at, nor what is read
/// around `block`.
bool Planner::isFirstWrite(Value argument, Block *block, const Write &write) {
  if (write.step == ~0u)
    return false;
  for (const Place &place : readers[argument]) {
    if (place.block == block) {
      if (place.step < write.step)
        continue;
      if (place.step > write.step || write.branch || !place.identity ||
          place.inner > write.inner)
        return false;
      continue;
    }
    Operation *ancestor =
        block->findAncestorOpInBlock(*place.block->getParentOp());
    if (ancestor && ancestor != write.branch &&
        stepOf.lookup(ancestor) >= write.step)
      return false;
  }
  return true;
}

/// Replaces all uses of `from` by `to`, and removes copies of a buffer to
/// itself.
void Planner::replaceBuffer(Buffer *from, Buffer *to) {
  for (auto &entry : program->materialized)
    if (entry.second == from)
      entry.second = to;
  for (auto &entry : program->passed)
    if (entry.second == from)
      entry.second = to;
  // Is it what a loop or a branch has there?
  auto isThere = [&](Value value) {
    if (value.getDefiningOp<scf::IfOp>())
      return program->materialized.lookup(value) == to;
    auto tile = program->carried.find(value);
    return tile != program->carried.end() && tile->second.current == to &&
           (isa<BlockArgument>(value) || tile->second.next == to);
  };
  for (auto &entry : program->blocks)
    for (Step &step : entry.second.steps) {
      if (step.kind != StepKind::Nest)
        continue;
      for (Inner &inner : step.nest->inners) {
        for (Root &root : inner.roots)
          if (root.kind == RootKind::Materialize && root.target == from)
            root.target = to;
        llvm::erase_if(inner.roots, [&](const Root &root) {
          return root.kind == RootKind::Materialize && root.target == to &&
                 isThere(root.value);
        });
      }
    }
}

} // namespace nereid::cpu
