// Turns.cpp - programs that take turns in a loop.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Three loops over the programs: the first runs what precedes the loop, the
// second, which is repeated while a program has an iteration left, runs one of
// each, or as many as it defers dots for, the third what follows the loop.

#include "emit/Turns.h"

#include "emit/CountedLoop.h"
#include "emit/TurnPrograms.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
class TurnTaker : TurnPrograms {
public:
  TurnTaker(Emitter &emitter, const TurnLoop &turns)
      : TurnPrograms(emitter, turns) {
    for (const Buffer *buffer : turns.own)
      bases[buffer] = emitter.buffers.lookup(buffer);
  }

  llvm::Value *run(ProgramIds &ids, llvm::Value *left, NextIds next) {
    makePlaces(ids);
    indexPlace = makePlace(emitter.typeOf(loop.getInductionVar()), "indices");
    for (Value argument : loop.getRegionIterArgs()) {
      CarriedTile tile = emitter.program.carried.lookup(argument);
      if (tile.current != tile.next)
        swaps.push_back({tile, makePlace(b.getPtrTy(), "current"),
                         makePlace(b.getPtrTy(), "next")});
    }
    Collected found = collect(ids, left, next);
    if (returnsEarly())
      emitIf(emitter, b.CreateICmpNE(found.taken, emitter.i64(0)),
             [&] { takeTurns(found.taken, left); });
    else
      takeTurns(found.taken, left);
    return found.seen;
  }

private:
  /// A tile in two buffers that each iteration exchanges.
  struct Swap {
    CarriedTile tile;
    Place current, next;
  };
  /// Runs `count` programs, at least one, from the loop on.
  void takeTurns(llvm::Value *count, llvm::Value *left) {
    emitter.isAlone = b.CreateICmpEQ(count, emitter.i64(1));
    emitLoop(b, count, 1, {}, [&](llvm::Value *program) { start(program); });
    auto *turn =
        llvm::BasicBlock::Create(emitter.context(), "turn", emitter.function);
    auto *end = llvm::BasicBlock::Create(emitter.context(), "turns.end",
                                         emitter.function);
    b.CreateBr(turn);
    b.SetInsertPoint(turn);
    llvm::Value *isLeft = b.getFalse(); // has a program had an iteration?
    emitLoop(b, count, 1, isLeft, [&](llvm::Value *program) {
      isLeft = b.CreateOr(isLeft, iterate(program, isLeft));
    });
    b.CreateCondBr(isLeft, turn, end);
    b.SetInsertPoint(end);
    emitLoop(b, count, 1, {}, [&](llvm::Value *program) {
      // At most so many: those that have returned early are counted.
      emitter.programsLeft = b.CreateSub(left, program);
      finish(program);
    });
  }

  /// Makes the program's ids and buffers those that are used.
  void place(llvm::Value *program) {
    loadIds(program);
    for (auto [buffer, base] : bases)
      emitter.buffers[buffer] =
          b.CreateGEP(b.getInt8Ty(), base,
                      b.CreateMul(program, emitter.i64(buffer->groupStride())));
  }

  void start(llvm::Value *program) {
    place(program);
    emitBefore(program);
    store(emitter.scalar(loop.getLowerBound()), indexPlace, program);
    storeScalars(loop.getInitArgs(), program);
    for (Swap &swap : swaps) {
      store(emitter.buffers[swap.tile.current], swap.current, program);
      store(emitter.buffers[swap.tile.next], swap.next, program);
    }
  }

  /// Returns an i1: the program has run an iteration. `isLater`, an i1: another
  /// has, in this turn.
  llvm::Value *iterate(llvm::Value *program, llvm::Value *isLater) {
    place(program);
    emitScalarsBefore(program);
    llvm::Value *index = load(indexPlace, program);
    llvm::Value *isLeft =
        b.CreateICmpSLT(index, emitter.scalar(loop.getUpperBound()));
    emitIf(emitter, isLeft, [&] {
      auto deferred = emitter.program.deferredDots.find(loop);
      llvm::Value *after =
          deferred == emitter.program.deferredDots.end()
              ? runIteration(program, index, isLater)
              : runDeferred(program, index, deferred->second.iterations);
      emitter.filled.clear();
      store(after, indexPlace, program);
    });
    return isLeft;
  }

  /// Runs the iteration of `index`; returns the next one's. `isLater`, an i1:
  /// another program has filled what is shared.
  llvm::Value *runIteration(llvm::Value *program, llvm::Value *index,
                            llvm::Value *isLater) {
    for (const Buffer *buffer : turns.shared)
      emitter.filled[buffer] = isLater;
    emitter.scalars[loop.getInductionVar()] = index;
    loadScalars(loop.getRegionIterArgs(), program);
    loadSwapped(program);
    BodyEmitter(emitter, nullptr).emitSteps(*loop.getBody());
    storeScalars(loop.getYieldedValues(), program);
    for (Swap &swap : swaps) {
      store(emitter.buffers[swap.tile.next], swap.current, program);
      store(emitter.buffers[swap.tile.current], swap.next, program);
    }
    return b.CreateAdd(index, emitter.scalar(loop.getStep()));
  }

  /// Runs so many `iterations` from `index` on, and multiplies what they defer;
  /// returns the next one's.
  llvm::Value *runDeferred(llvm::Value *program, llvm::Value *index,
                           int64_t iterations) {
    LoopPart part{index, iterations,
                  b.CreateICmpNE(index, emitter.scalar(loop.getLowerBound())),
                  loadCarried(program)};
    for (Operand &operand : operands) {
      llvm::Value *filler = load(operand.fillers, program);
      llvm::Value *isFilled = b.CreateICmpNE(filler, program);
      const TurnOperand &plan = operand.plan;
      emitter.filled[plan.tiles] = isFilled;
      if (plan.unpacked)
        emitter.filled[plan.unpacked] = isFilled;
      emitter.buffers[plan.tiles] = b.CreateGEP(
          b.getInt8Ty(), operand.tiles,
          b.CreateMul(filler, emitter.i64(plan.tiles->groupStride())));
    }
    llvm::Value *after = BodyEmitter(emitter, nullptr).emitFor(loop, &part);
    storeScalars(loop.getResults(), program);
    for (Operand &operand : operands)
      emitter.buffers[operand.plan.tiles] = operand.tiles;
    return after;
  }

  void loadSwapped(llvm::Value *program) {
    for (Swap &swap : swaps) {
      emitter.buffers[swap.tile.current] = load(swap.current, program);
      emitter.buffers[swap.tile.next] = load(swap.next, program);
    }
  }

  void finish(llvm::Value *program) {
    place(program);
    emitScalarsBefore(program);
    loadScalars(loop.getResults(), program);
    loadSwapped(program);
    for (auto [argument, result] :
         llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
      if (isTile(argument))
        emitter.carriedResults[result] = emitter.bufferPointer(argument);
    emitAfter();
  }

  llvm::MapVector<const Buffer *, llvm::Value *> bases; // of the first program
  Place indexPlace;
  SmallVector<Swap, 2> swaps;
};
} // namespace

llvm::Value *emitTurns(Emitter &emitter, ProgramIds &ids, llvm::Value *left,
                       NextIds next) {
  return TurnTaker(emitter, *emitter.program.turns).run(ids, left, next);
}

} // namespace nereid::cpu
