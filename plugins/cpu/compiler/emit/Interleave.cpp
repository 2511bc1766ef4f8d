// Interleave.cpp - programs that take turns in a loop.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Three loops over the programs: the first computes their first iterations'
// values, the second, which is repeated while a program has an iteration left,
// runs one of each, the third what follows the loop.

#include "emit/Interleave.h"

#include "emit/CountedLoop.h"

using namespace mlir;

namespace nereid::cpu {

/// So many programs take turns: their blocks then are long enough for the
/// hardware prefetchers.
static constexpr uint64_t kMostPrograms = 64;

namespace {
class Interleaver : ProgramGroup {
public:
  Interleaver(Emitter &emitter, scf::ForOp loop)
      : ProgramGroup(emitter, loop, kMostPrograms) {}

  llvm::Value *run(ProgramIds &ids, llvm::Value *left, NextIds next) {
    llvm::Value *count = emitter.smaller(left, emitter.i64(most));
    makePlaces(ids);
    indexPlace = makePlace(emitter.typeOf(loop.getInductionVar()), "indices");
    emitLoop(b, count, 1, ids, [&](llvm::Value *program) {
      storeIds(ids, program);
      start(program);
      ids = next(ids);
    });
    auto *turn =
        llvm::BasicBlock::Create(emitter.context(), "turn", emitter.function);
    auto *end = llvm::BasicBlock::Create(emitter.context(), "turns.end",
                                         emitter.function);
    b.CreateBr(turn);
    b.SetInsertPoint(turn);
    llvm::Value *isLeft = b.getFalse();
    emitLoop(b, count, 1, isLeft, [&](llvm::Value *program) {
      isLeft = b.CreateOr(isLeft, iterate(program));
    });
    b.CreateCondBr(isLeft, turn, end);
    b.SetInsertPoint(end);
    emitLoop(b, count, 1, {}, [&](llvm::Value *program) {
      loadIds(program);
      emitScalarsBefore();
      loadScalars(loop.getResults(), program);
      emitAfter();
    });
    return count;
  }

private:
  void start(llvm::Value *program) {
    loadIds(program);
    emitScalarsBefore();
    store(emitter.scalar(loop.getLowerBound()), indexPlace, program);
    storeScalars(loop.getInitArgs(), program);
  }

  /// Returns an i1: the program may have another iteration.
  llvm::Value *iterate(llvm::Value *program) {
    loadIds(program);
    emitScalarsBefore();
    llvm::Value *index = load(indexPlace, program);
    llvm::Value *isLeft =
        b.CreateICmpSLT(index, emitter.scalar(loop.getUpperBound()));
    emitIf(emitter, isLeft, [&] {
      emitter.scalars[loop.getInductionVar()] = index;
      loadScalars(loop.getRegionIterArgs(), program);
      BodyEmitter(emitter, nullptr).emitSteps(*loop.getBody());
      storeScalars(loop.getYieldedValues(), program);
      store(b.CreateAdd(index, emitter.scalar(loop.getStep())), indexPlace,
            program);
    });
    return isLeft;
  }

  Place indexPlace;
};
} // namespace

llvm::Value *emitInterleavedBodies(Emitter &emitter, ProgramIds &ids,
                                   llvm::Value *left, NextIds next) {
  return Interleaver(emitter, emitter.program.interleavedLoop)
      .run(ids, left, next);
}

} // namespace nereid::cpu
