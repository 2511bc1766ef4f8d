// Turns.cpp - programs that take turns in a loop.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Three loops over the programs: the first runs what precedes the loop, the
// second, which is repeated while a program has an iteration left, runs one of
// each, or as many as it defers dots for, the third what follows the loop.

#include "emit/Turns.h"

#include "emit/CountedLoop.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
class TurnTaker : ProgramGroup {
public:
  TurnTaker(Emitter &emitter, const TurnLoop &turns)
      : ProgramGroup(emitter, turns.loop, turns.programs), turns(turns) {
    for (const Buffer *buffer : turns.own)
      bases[buffer] = emitter.buffers.lookup(buffer);
    for (const TurnOperand &operand : turns.operands)
      operands.push_back({operand, emitter.buffers.lookup(operand.tiles)});
  }

  llvm::Value *run(ProgramIds &ids, llvm::Value *left, NextIds next) {
    makePlaces(ids);
    indexPlace = makePlace(emitter.typeOf(loop.getInductionVar()), "indices");
    for (Operand &operand : operands) {
      operand.fillers = makePlace(b.getInt64Ty(), "fillers");
      for (Value value : operand.plan.key)
        operand.key.push_back(makePlace(emitter.typeOf(value), "keys"));
    }
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
  /// Programs that follow one another, i64: all that have been looked at, and
  /// those of them that take turns. The others have returned early.
  struct Collected {
    llvm::Value *seen, *taken;
  };

  /// A tile in two buffers that each iteration exchanges.
  struct Swap {
    CarriedTile tile;
    Place current, next;
  };
  /// An operand that some of the programs share.
  struct Operand {
    const TurnOperand &plan;
    llvm::Value *tiles; // of the first program
    Place fillers; // i64: of a program, the first one with the same operand
    SmallVector<Place, 4> key;
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

  /// Stores the ids of the programs that take turns: of as many as `left` those
  /// with the key of the first, which has `ids`, and with an operand of
  /// another. `ids` become those of the program after them.
  Collected collect(ProgramIds &ids, llvm::Value *left, NextIds next) {
    SmallVector<llvm::AllocaInst *> key;
    for (Value value : turns.key)
      key.push_back(emitter.allocate(emitter.typeOf(value), "key"));
    auto makeBlock = [&](const char *name) {
      return llvm::BasicBlock::Create(emitter.context(), name,
                                      emitter.function);
    };
    llvm::BasicBlock *entry = b.GetInsertBlock(), *look = makeBlock("look"),
                     *take = makeBlock("take"), *goOn = makeBlock("seen"),
                     *end = makeBlock("taken");
    b.CreateBr(look);
    b.SetInsertPoint(look);
    llvm::PHINode *program = b.CreatePHI(b.getInt64Ty(), 2);
    llvm::PHINode *seen = b.CreatePHI(b.getInt64Ty(), 2);
    program->addIncoming(emitter.i64(0), entry);
    seen->addIncoming(emitter.i64(0), entry);
    SmallVector<llvm::PHINode *, 3> current;
    for (llvm::Value *&id : ids) {
      current.push_back(b.CreatePHI(id->getType(), 2));
      current.back()->addIncoming(id, entry);
      id = current.back();
    }
    storeIds(ids, program);
    llvm::Value *isTaken = isLike(key, program, ids, goOn);
    if (!operands.empty())
      isTaken = b.CreateAnd(isTaken, findFillers(program));
    llvm::BasicBlock *looked = b.GetInsertBlock();
    b.CreateCondBr(isTaken, take, end);

    b.SetInsertPoint(take);
    llvm::Value *withIt = b.CreateAdd(program, emitter.i64(1));
    b.CreateBr(goOn);

    b.SetInsertPoint(goOn);
    llvm::PHINode *after = b.CreatePHI(b.getInt64Ty(), 2);
    for (llvm::BasicBlock *before : llvm::predecessors(goOn))
      after->addIncoming(before == take ? withIt : program, before);
    llvm::Value *seenAfter = b.CreateAdd(seen, emitter.i64(1));
    ProgramIds following = next(ids);
    llvm::BasicBlock *went = b.GetInsertBlock();
    llvm::Value *isMore =
        b.CreateAnd(b.CreateICmpULT(seenAfter, left),
                    b.CreateICmpULT(after, emitter.i64(most)));
    b.CreateCondBr(isMore, look, end);
    program->addIncoming(after, went);
    seen->addIncoming(seenAfter, went);
    for (auto [phi, id] : llvm::zip(current, following))
      phi->addIncoming(id, went);

    b.SetInsertPoint(end);
    auto join = [&](llvm::Value *before, llvm::Value *later) {
      llvm::PHINode *phi = b.CreatePHI(before->getType(), 2);
      phi->addIncoming(before, looked);
      phi->addIncoming(later, went);
      return phi;
    };
    Collected found{join(seen, seenAfter), join(program, after)};
    for (auto [id, later] : llvm::zip(ids, following))
      id = join(id, later);
    return found;
  }

  /// An i1: does `program`, which has `ids`, have the key of the first? The
  /// first one's is stored. Goes to `returned` if it returns early.
  llvm::Value *isLike(ArrayRef<llvm::AllocaInst *> key, llvm::Value *program,
                      const ProgramIds &ids, llvm::BasicBlock *returned) {
    llvm::copy(ids, emitter.programIds);
    emitFirstScalars(program, returned);
    llvm::Value *isFirst = b.CreateICmpEQ(program, emitter.i64(0));
    llvm::Value *isSame = b.getTrue();
    for (auto [value, place] : llvm::zip(turns.key, key)) {
      llvm::Value *now = emitter.scalar(value);
      emitIf(emitter, isFirst, [&] { b.CreateStore(now, place); });
      llvm::Value *first = b.CreateLoad(now->getType(), place);
      isSame = b.CreateAnd(isSame, equalBits(now, first));
    }
    return isSame;
  }

  /// An i1: have two scalars the same bits?
  llvm::Value *equalBits(llvm::Value *one, llvm::Value *other) {
    if (one->getType()->isFloatingPointTy()) {
      llvm::Type *bits = b.getIntNTy(one->getType()->getScalarSizeInBits());
      one = b.CreateBitCast(one, bits);
      other = b.CreateBitCast(other, bits);
    }
    return b.CreateICmpEQ(one, other);
  }

  /// Finds out who fills the operands of `program`, whose scalars are known. An
  /// i1: is it the first program, or has it an operand of another?
  llvm::Value *findFillers(llvm::Value *program) {
    llvm::Value *isTaken = b.CreateICmpEQ(program, emitter.i64(0));
    for (Operand &operand : operands) {
      for (auto [value, place] : llvm::zip(operand.plan.key, operand.key))
        store(emitter.scalar(value), place, program);
      llvm::Value *filler = program;
      llvm::Value *upToIt = b.CreateAdd(program, emitter.i64(1));
      emitLoop(b, upToIt, 1, filler, [&](llvm::Value *other) {
        llvm::Value *isSame = b.CreateICmpULT(other, filler);
        for (auto [value, place] : llvm::zip(operand.plan.key, operand.key))
          isSame = b.CreateAnd(
              isSame, equalBits(emitter.scalar(value), load(place, other)));
        filler = b.CreateSelect(isSame, other, filler);
      });
      store(filler, operand.fillers, program);
      isTaken = b.CreateOr(isTaken, b.CreateICmpNE(filler, program));
    }
    return isTaken;
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

  const TurnLoop &turns;
  llvm::MapVector<const Buffer *, llvm::Value *> bases; // of the first program
  Place indexPlace;
  SmallVector<Swap, 2> swaps;
  SmallVector<Operand, 2> operands;
};
} // namespace

llvm::Value *emitTurns(Emitter &emitter, ProgramIds &ids, llvm::Value *left,
                       NextIds next) {
  return TurnTaker(emitter, *emitter.program.turns).run(ids, left, next);
}

} // namespace nereid::cpu
