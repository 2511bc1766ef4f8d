// Interleave.cpp - programs that take turns in a loop.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Three loops over the programs: the first computes their first iterations'
// values, the second, which is repeated while a program has an iteration left,
// runs one of each, the third what follows the loop. What an iteration passes
// on is in memory, for each program; what is computed before the loop, scalars
// without an effect, is computed again.

#include "emit/Interleave.h"

#include "emit/BodyEmitter.h"
#include "emit/CountedLoop.h"

using namespace mlir;

namespace nereid::cpu {

/// So many programs take turns: their blocks then are long enough for the
/// hardware prefetchers.
static constexpr uint64_t kMostPrograms = 64;

namespace {
class Interleaver {
public:
  Interleaver(Emitter &emitter, scf::ForOp loop)
      : emitter(emitter), b(emitter.builder), loop(loop),
        block(*loop->getBlock()),
        steps(emitter.program.blocks.at(&block).steps),
        before(llvm::find_if(
                   steps, [&](const Step &step) { return step.op == loop; }) -
               steps.begin()) {}

  llvm::Value *run(ProgramIds &ids, llvm::Value *left,
                   llvm::function_ref<ProgramIds(const ProgramIds &)> next) {
    llvm::Value *count = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left,
                                                 emitter.i64(kMostPrograms));
    makePlaces(ids);
    emitLoop(b, count, 1, ids, [&](llvm::Value *program) {
      for (auto [place, id] : llvm::zip(idPlaces, ids))
        b.CreateStore(id, place.at(b, program));
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
    emitLoop(b, count, 1, {}, [&](llvm::Value *program) { finish(program); });
    return count;
  }

private:
  /// A value of each program.
  struct Place {
    llvm::Type *type;
    llvm::AllocaInst *values;
    llvm::Value *at(llvm::IRBuilder<> &b, llvm::Value *program) const {
      return b.CreateGEP(type, values, program);
    }
  };

  Place makePlace(llvm::Type *type, const char *name) {
    return {type,
            emitter.allocate(llvm::ArrayType::get(type, kMostPrograms), name)};
  }

  void makePlaces(const ProgramIds &ids) {
    for (llvm::Value *id : ids)
      idPlaces.push_back(makePlace(id->getType(), "ids"));
    indexPlace = makePlace(emitter.typeOf(loop.getInductionVar()), "indices");
    for (Value argument : loop.getRegionIterArgs())
      carriedPlaces.push_back(makePlace(emitter.typeOf(argument), "carried"));
  }

  /// Emits what is before the loop.
  void prepare() {
    BodyEmitter(emitter, nullptr).emitSteps(block, steps.take_front(before));
  }

  void loadIds(llvm::Value *program) {
    for (auto [axis, place] : llvm::enumerate(idPlaces))
      emitter.programIds[axis] = b.CreateLoad(place.type, place.at(b, program));
  }

  void start(llvm::Value *program) {
    loadIds(program);
    prepare();
    b.CreateStore(emitter.scalar(loop.getLowerBound()),
                  indexPlace.at(b, program));
    for (auto [init, place] : llvm::zip(loop.getInitArgs(), carriedPlaces))
      b.CreateStore(emitter.scalar(init), place.at(b, program));
  }

  /// Returns an i1: the program may have another iteration.
  llvm::Value *iterate(llvm::Value *program) {
    loadIds(program);
    prepare();
    llvm::Value *index =
        b.CreateLoad(indexPlace.type, indexPlace.at(b, program));
    llvm::Value *isLeft =
        b.CreateICmpSLT(index, emitter.scalar(loop.getUpperBound()));
    emitIf(emitter, isLeft, [&] {
      emitter.scalars[loop.getInductionVar()] = index;
      for (auto [argument, place] :
           llvm::zip(loop.getRegionIterArgs(), carriedPlaces))
        emitter.scalars[argument] =
            b.CreateLoad(place.type, place.at(b, program));
      BodyEmitter(emitter, nullptr).emitSteps(*loop.getBody());
      for (auto [value, place] :
           llvm::zip(loop.getYieldedValues(), carriedPlaces))
        b.CreateStore(emitter.scalar(value), place.at(b, program));
      b.CreateStore(b.CreateAdd(index, emitter.scalar(loop.getStep())),
                    indexPlace.at(b, program));
    });
    return isLeft;
  }

  void finish(llvm::Value *program) {
    loadIds(program);
    prepare();
    for (auto [result, place] : llvm::zip(loop.getResults(), carriedPlaces))
      emitter.scalars[result] = b.CreateLoad(place.type, place.at(b, program));
    auto *next = llvm::BasicBlock::Create(emitter.context(), "returned",
                                          emitter.function);
    BodyEmitter body(emitter, next);
    body.emitSteps(block, steps.drop_front(before + 1));
    body.emitTerminator(block.getTerminator());
    b.SetInsertPoint(next);
  }

  Emitter &emitter;
  llvm::IRBuilder<> &b;
  scf::ForOp loop;
  Block &block;
  ArrayRef<Step> steps; // of the function
  size_t before;        // so many of them precede the loop
  SmallVector<Place, 3> idPlaces;
  Place indexPlace{};
  SmallVector<Place, 2> carriedPlaces;
};
} // namespace

llvm::Value *
emitInterleavedBodies(Emitter &emitter, ProgramIds &ids, llvm::Value *left,
                      llvm::function_ref<ProgramIds(const ProgramIds &)> next) {
  return Interleaver(emitter, emitter.program.interleavedLoop)
      .run(ids, left, next);
}

} // namespace nereid::cpu
