// Joint.cpp - products of few rows that are computed for several programs.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/Joint.h"

#include "emit/CountedLoop.h"

using namespace mlir;

namespace nereid::cpu {

JointProducts::JointProducts(Emitter &emitter, tt::DotOp op)
    : emitter(emitter), b(emitter.builder), op(op) {
  tt::LoadOp load = emitter.program.deferredDotsOf(op)->inPlace[1]->load;
  auto tile = codegen::tileType(load.getResult());
  rightBytes = tile.getShape().back() *
               Emitter::bytesOf(emitter.memoryType(tile.getElementType()));
  for (llvm::Type *type : fewRowsTypes(emitter))
    first.push_back(emitter.allocate(type, "joint"));
  count = emitter.allocate(b.getInt64Ty(), "joint.count");
  b.CreateStore(emitter.i64(0), count);
}

/// An i1: are `arguments` those of the next product, if some wait?
llvm::Value *JointProducts::continues(ArrayRef<llvm::Value *> arguments) {
  llvm::Value *waiting = b.CreateLoad(b.getInt64Ty(), count);
  llvm::Value *isNext = b.CreateICmpNE(waiting, emitter.i64(0));
  for (auto [number, place, argument] : llvm::enumerate(first, arguments)) {
    llvm::Value *expected = b.CreateLoad(argument->getType(), place);
    int64_t distance = number == kFewRowsRight  ? rightBytes
                       : number == kFewRowsSums ? jointSumBytes(emitter)
                                                : 0;
    if (distance)
      expected = b.CreateGEP(b.getInt8Ty(), expected,
                             b.CreateMul(waiting, emitter.i64(distance)));
    isNext = b.CreateAnd(isNext, b.CreateICmpEQ(argument, expected));
  }
  return isNext;
}

void JointProducts::add(const ProductOperands &operands) {
  SmallVector<llvm::Value *> arguments =
      fewRowsArguments(emitter, op, operands);
  emitIf(emitter, b.CreateNot(continues(arguments)), [&] {
    multiply();
    for (auto [place, argument] : llvm::zip(first, arguments))
      b.CreateStore(argument, place);
  });
  b.CreateStore(
      b.CreateAdd(b.CreateLoad(b.getInt64Ty(), count), emitter.i64(1)), count);
}

void JointProducts::multiply() {
  llvm::Value *waiting = b.CreateLoad(b.getInt64Ty(), count);
  emitIf(emitter, b.CreateICmpNE(waiting, emitter.i64(0)), [&] {
    SmallVector<llvm::Value *> arguments;
    for (llvm::AllocaInst *place : first)
      arguments.push_back(b.CreateLoad(place->getAllocatedType(), place));
    emitFewRowsCall(emitter, op, arguments, waiting);
    b.CreateStore(emitter.i64(0), count);
  });
}

/// What the sums of programs that run at once take of the first cache, in
/// bytes.
static constexpr int64_t kMostSumsInCache = 16 << 10;

namespace {
class Joiner : ProgramGroup {
public:
  Joiner(Emitter &emitter, const JointLoop &joint)
      : ProgramGroup(emitter, joint.loop, joint.programs), joint(joint),
        deferred(emitter.program.deferredDots.find(joint.loop)->second),
        sums(emitter.buffers.lookup(joint.sums)) {}

  llvm::Value *run(ProgramIds &ids, llvm::Value *left, NextIds next) {
    llvm::Value *count = countPrograms(ids, left);
    makePlaces(ids);
    if (deferred.store)
      isStored = makePlace(b.getInt1Ty(), "stored");
    JointProducts products(emitter, deferred.dots.front());
    emitter.joint = &products;
    emitLoop(b, count, 1, ids, [&](llvm::Value *program) {
      storeIds(ids, program);
      emitter.programsLeft = b.CreateSub(left, program);
      place(program);
      BodyEmitter(emitter, nullptr)
          .emitSteps(block, steps.take_front(before + 1));
      storeScalars(loop.getResults(), program);
      if (deferred.store)
        store(emitter.storedSums.lookup(deferred.store->nest), isStored,
              program);
      ids = next(ids);
    });
    emitter.joint = nullptr;
    products.multiply();
    emitLoop(b, count, 1, {}, [&](llvm::Value *program) {
      place(program);
      emitScalarsBefore(program);
      loadScalars(loop.getResults(), program);
      for (Value result : loop.getResults())
        if (isTile(result))
          emitter.carriedResults[result] = emitter.buffers.lookup(joint.sums);
      if (deferred.store)
        emitter.storedSums[deferred.store->nest] = load(isStored, program);
      emitAfter();
    });
    return count;
  }

private:
  /// How many programs run at once, an i64: one where there is no product of
  /// few rows. `ids` are those of the first, and of the others the same rows.
  llvm::Value *countPrograms(const ProgramIds &ids, llvm::Value *left) {
    llvm::copy(ids, emitter.programIds);
    emitScalarsBefore(emitter.i64(0));
    const InPlaceOperand &right = *deferred.inPlace[1];
    int64_t atOnce = right.mostRows / right.rowGroups;
    DotShape shape = shapeOf(emitter, deferred.dots.front());
    llvm::Value *rows = rowsOf(emitter, right);
    if (!rows)
      rows = emitter.i64(shape.rows);
    llvm::Value *count =
        b.CreateUDiv(emitter.i64(kMostSumsInCache / shape.sumRowBytes()),
                     emitter.larger(rows, emitter.i64(1)));
    count = emitter.smaller(emitter.smaller(count, emitter.i64(most)), left);
    llvm::Value *areFew = b.CreateICmpSLE(rows, emitter.i64(atOnce));
    return emitter.larger(b.CreateSelect(areFew, count, emitter.i64(1)),
                          emitter.i64(1));
  }

  /// Makes the program's ids and sums those that are used.
  void place(llvm::Value *program) {
    loadIds(program);
    emitter.buffers[joint.sums] =
        b.CreateGEP(b.getInt8Ty(), sums,
                    b.CreateMul(program, emitter.i64(jointSumBytes(emitter))));
  }

  const JointLoop &joint;
  const DeferredDots &deferred;
  llvm::Value *sums; // of the first program
  Place isStored;    // i1
};
} // namespace

llvm::Value *emitJointBodies(Emitter &emitter, ProgramIds &ids,
                             llvm::Value *left, NextIds next) {
  return Joiner(emitter, *emitter.program.joint).run(ids, left, next);
}

} // namespace nereid::cpu
