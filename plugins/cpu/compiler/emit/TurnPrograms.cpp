// TurnPrograms.cpp - finds the programs that take turns together.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/TurnPrograms.h"

#include "emit/CountedLoop.h"

using namespace mlir;

namespace nereid::cpu {

TurnPrograms::TurnPrograms(Emitter &emitter, const TurnLoop &turns)
    : ProgramGroup(emitter, turns.loop, turns.programs), turns(turns) {
  for (const TurnOperand &operand : turns.operands)
    operands.push_back(
        {operand, emitter.buffers.lookup(operand.tiles), {}, {}});
}

void TurnPrograms::makePlaces(const ProgramIds &ids) {
  ProgramGroup::makePlaces(ids);
  for (Operand &operand : operands) {
    operand.fillers = makePlace(b.getInt64Ty(), "fillers");
    for (Value value : operand.plan.key)
      operand.key.push_back(makePlace(emitter.typeOf(value), "keys"));
  }
}

/// An i1: have two scalars the same bits?
static llvm::Value *equalBits(llvm::IRBuilder<> &b, llvm::Value *one,
                              llvm::Value *other) {
  if (one->getType()->isFloatingPointTy()) {
    llvm::Type *bits = b.getIntNTy(one->getType()->getScalarSizeInBits());
    one = b.CreateBitCast(one, bits);
    other = b.CreateBitCast(other, bits);
  }
  return b.CreateICmpEQ(one, other);
}

TurnPrograms::Collected TurnPrograms::collect(ProgramIds &ids,
                                              llvm::Value *left, NextIds next) {
  SmallVector<llvm::AllocaInst *> key;
  for (Value value : turns.key)
    key.push_back(emitter.allocate(emitter.typeOf(value), "key"));
  auto makeBlock = [&](const char *name) {
    return llvm::BasicBlock::Create(emitter.context(), name, emitter.function);
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
  llvm::Value *isMore = b.CreateAnd(b.CreateICmpULT(seenAfter, left),
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

llvm::Value *TurnPrograms::isLike(ArrayRef<llvm::AllocaInst *> key,
                                  llvm::Value *program, const ProgramIds &ids,
                                  llvm::BasicBlock *returned) {
  llvm::copy(ids, emitter.programIds);
  emitFirstScalars(program, returned);
  llvm::Value *isFirst = b.CreateICmpEQ(program, emitter.i64(0));
  llvm::Value *isSame = b.getTrue();
  for (auto [value, place] : llvm::zip(turns.key, key)) {
    llvm::Value *now = emitter.scalar(value);
    emitIf(emitter, isFirst, [&] { b.CreateStore(now, place); });
    llvm::Value *first = b.CreateLoad(now->getType(), place);
    isSame = b.CreateAnd(isSame, equalBits(b, now, first));
  }
  return isSame;
}

llvm::Value *TurnPrograms::findFillers(llvm::Value *program) {
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
            isSame, equalBits(b, emitter.scalar(value), load(place, other)));
      filler = b.CreateSelect(isSame, other, filler);
    });
    store(filler, operand.fillers, program);
    isTaken = b.CreateOr(isTaken, b.CreateICmpNE(filler, program));
  }
  return isTaken;
}

} // namespace nereid::cpu
