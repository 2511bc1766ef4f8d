// Deferred.cpp - loops whose dots multiply the operands of several iterations.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/dot/Deferred.h"

#include "emit/Joint.h"

using namespace mlir;

namespace nereid::cpu {

DeferredDotsEmitter::DeferredDotsEmitter(Emitter &emitter, scf::ForOp loop)
    : emitter(emitter), b(emitter.builder), loop(loop) {
  auto found = emitter.program.deferredDots.find(loop);
  if (found != emitter.program.deferredDots.end())
    deferred = &found->second;
}

void DeferredDotsEmitter::beforeLoop() {
  if (!deferred)
    return;
  emitter.deferredLoops[loop] = this;
  if (deferred->shared)
    compareKey();
  findSides();
}

/// Compares the scalars that the shared operand depends on with those of the
/// program that has packed it.
void DeferredDotsEmitter::compareKey() {
  const SharedOperand &shared = *deferred->shared;
  llvm::Value *upper = emitter.scalar(loop.getUpperBound());
  holdsAll = b.CreateICmpSLE(upper, llvm::ConstantInt::getSigned(
                                        upper->getType(), shared.highestBound));
  // Each call of the image starts with nothing packed.
  auto remember = [&](llvm::Type *type, const char *name) {
    llvm::AllocaInst *place = emitter.allocate(type, name);
    llvm::IRBuilder<> entry(emitter.allocaPoint);
    entry.CreateStore(llvm::Constant::getNullValue(type), place);
    return place;
  };
  isSame = b.getTrue();
  for (Value value : shared.key) {
    llvm::Value *bits = emitter.scalar(value);
    if (bits->getType()->isFloatingPointTy())
      bits = b.CreateBitCast(
          bits, b.getIntNTy(bits->getType()->getScalarSizeInBits()));
    llvm::AllocaInst *place = remember(bits->getType(), "key");
    llvm::Value *before = b.CreateLoad(bits->getType(), place);
    isSame = b.CreateAnd(isSame, b.CreateICmpEQ(bits, before));
    b.CreateStore(bits, place);
  }
  isPacked = remember(b.getInt1Ty(), "packed");
  isShared = b.CreateAnd(b.CreateLoad(b.getInt1Ty(), isPacked), isSame);
  // The tiles of all iterations take more cache than those of one group. They
  // are kept if a program follows, unless it has other columns: after two
  // programs with keys of their own, or after one with the last rows.
  llvm::AllocaInst *place = remember(b.getInt8Ty(), "changes");
  llvm::Value *changes = b.CreateLoad(b.getInt8Ty(), place);
  changes = b.CreateSelect(isSame, b.getInt8(0),
                           b.CreateOr(b.CreateShl(changes, 1), b.getInt8(1)));
  b.CreateStore(changes, place);
  holdsAll = b.CreateAnd(holdsAll, b.CreateICmpULE(changes, b.getInt8(1)));
  holdsAll = b.CreateAnd(holdsAll,
                         b.CreateICmpUGT(emitter.programsLeft, emitter.i64(1)));
  if (shared.rows) {
    tt::DotOp dot = deferred->dots.front();
    int64_t all = dot.getType().getShape().front();
    holdsAll = b.CreateAnd(holdsAll, b.CreateICmpEQ(emitter.scalar(shared.rows),
                                                    emitter.i64(all)));
  }
  // What an earlier program has packed stays.
  holdsAll = b.CreateOr(holdsAll, isShared);
}

void DeferredDotsEmitter::begin(llvm::BasicBlock *entry, llvm::Value *isLater) {
  if (!deferred)
    return;
  auto carry = [&](llvm::Value *first) {
    llvm::PHINode *phi = b.CreatePHI(first->getType(), 2);
    phi->addIncoming(first, entry);
    return phi;
  };
  slot = carry(emitter.i64(0));
  count = deferred->hasInPlace() ? carry(emitter.i64(0)) : slot;
  if (deferred->shared)
    group = carry(emitter.i64(0));
  if (deferred->startsAtZero)
    hasSums = carry(isLater ? isLater : b.getFalse());
  for (Side &side : sides)
    if (side.operand)
      side.before = {carry(b.getFalse()),
                     carry(llvm::ConstantPointerNull::get(b.getPtrTy()))};
}

/// The tile in slot `index` of `buffer`.
llvm::Value *DeferredDotsEmitter::tileAt(const Buffer *buffer,
                                         llvm::Value *index) {
  llvm::Type *element = emitter.memoryType(buffer->element);
  llvm::Value *base = bases.lookup(buffer);
  if (deferred->shared && deferred->shared->buffer == buffer)
    base = b.CreateGEP(
        element, base,
        b.CreateMul(group, emitter.i64(buffer->elements() * buffer->tiles)));
  return b.CreateGEP(element, base,
                     b.CreateMul(index, emitter.i64(buffer->tileStride())));
}

/// That of the first deferred iteration, unless operands are in place.
llvm::Value *DeferredDotsEmitter::firstSlot() {
  return deferred->hasInPlace() ? b.CreateSub(slot, count) : emitter.i64(0);
}

void DeferredDotsEmitter::enterIteration() {
  if (!deferred)
    return;
  hasNext = b.CreateICmpSLT(b.CreateAdd(emitter.scalar(loop.getInductionVar()),
                                        emitter.scalar(loop.getStep())),
                            emitter.scalar(loop.getUpperBound()));
  // What the last iteration leaves is multiplied after the loop.
  isLastSlot = isFull = b.CreateAnd(
      hasNext, b.CreateICmpEQ(slot, emitter.i64(deferred->iterations - 1)));
  llvm::Value *first = firstSlot();
  for (const Buffer *buffer : deferred->buffers) {
    bases[buffer] = emitter.buffers.lookup(buffer);
    emitter.deferredStarts[buffer] = tileAt(buffer, first);
    emitter.buffers[buffer] = tileAt(buffer, slot);
  }
}

llvm::Value *DeferredDotsEmitter::isNeeded(const Nest &nest) {
  const auto &roots = nest.inners.front().roots;
  if (!deferred || roots.empty() || roots.front().kind != RootKind::Materialize)
    return nullptr;
  const Root &root = roots.front();
  llvm::Value *isRead = nullptr; // from a buffer that is packed already
  if (deferred->shared && root.value == deferred->shared->value)
    isRead = isShared;
  if (deferred->packed && root.value == deferred->packed->value) {
    InPlaceTile tile = emitInPlaceTile(emitter, nest, *deferred->packed);
    source = {tile.isUsable, tile.first,
              emitter.polynomial(deferred->packed->stride)};
    isRead = isRead ? b.CreateOr(isRead, source.isUsed) : source.isUsed;
  }
  for (Side &side : sides) {
    if (!side.operand || root.value != side.operand->value)
      continue;
    InPlaceTile tile = emitInPlaceTile(emitter, nest, *side.operand);
    side.now = {side.isAllowed ? b.CreateAnd(side.isAllowed, tile.isUsable)
                               : tile.isUsable,
                tile.first};
    isRead =
        isRead ? b.CreateOr(isRead, side.now.isInPlace) : side.now.isInPlace;
  }
  return isRead ? b.CreateNot(isRead) : nullptr;
}

llvm::Value *DeferredDotsEmitter::mustPackRight() {
  llvm::Value *isReady = isShared;
  if (llvm::Value *isInPlace = sides[1].now.isInPlace)
    isReady = isReady ? b.CreateOr(isReady, isInPlace) : isInPlace;
  return isReady ? b.CreateNot(isReady) : nullptr;
}

/// The operands of `iterations` deferred iterations, the first with `places`.
ProductOperands DeferredDotsEmitter::operandsOf(tt::DotOp dot,
                                                const Places &places,
                                                llvm::Value *iterations) {
  const DotPlan &plan = emitter.program.dots.at(dot);
  ProductOperands operands{firstTile(emitter, deferred, plan.left),
                           firstTile(emitter, deferred, plan.right),
                           iterations};
  if (hasSums)
    operands.isFirst = b.CreateNot(hasSums);
  placeIn(operands, dot, places);
  return operands;
}

/// An i1: may what the loop's result is stored to be prefetched? Not if stores
/// bypass the caches.
llvm::Value *DeferredDotsEmitter::keepsResult() {
  return emitter.streams ? b.CreateNot(emitter.streams) : b.getTrue();
}

/// In an iteration before the last: what the next ones copy.
SmallVector<llvm::Value *>
DeferredDotsEmitter::addressesToPrefetch(tt::DotOp dot) {
  if (deferred->prefetches.empty())
    return {};
  const DotPlan &plan = emitter.program.dots.at(dot);
  auto isCopied = [&](const Side &side, const DotOperand &operand) {
    bool isRead = side.operand && !side.operand->isExtended && plan.terms == 1;
    return emitter.unlessFilled(emitter.program.bufferOf(operand),
                                isRead ? b.CreateNot(side.started.isInPlace)
                                       : b.getTrue());
  };
  // A right operand that is in place is prefetched where it is read.
  llvm::Value *copiesRight = isCopied(sides[1], plan.right);
  if (isShared)
    copiesRight = b.CreateAnd(copiesRight, b.CreateNot(isShared));
  return prefetchAddresses(
      emitter, dot, {isCopied(sides[0], plan.left), copiesRight, b.getFalse()});
}

void DeferredDotsEmitter::emitDot(tt::DotOp dot) {
  if (deferred->hasInPlace())
    return emitInPlaceDot(dot);
  isEnded = isFull;
  SmallVector<llvm::Value *> prefetches = addressesToPrefetch(dot);
  emitIf(emitter, isFull, [&] {
    llvm::Value *all = emitter.i64(deferred->iterations);
    emitProduct(emitter, dot, operandsOf(dot, {}, all), prefetches);
  });
}

void DeferredDotsEmitter::leaveIteration() {
  if (!deferred)
    return;
  llvm::BasicBlock *latch = b.GetInsertBlock();
  llvm::Value *next = b.CreateAdd(slot, emitter.i64(1));
  next = b.CreateSelect(isLastSlot, emitter.i64(0), next);
  slot->addIncoming(next, latch);
  // Groups are filled only if there is one for each iteration.
  if (group)
    group->addIncoming(
        b.CreateAdd(group, b.CreateZExt(b.CreateAnd(isLastSlot, holdsAll),
                                        b.getInt64Ty())),
        latch);
  if (deferred->hasInPlace())
    count->addIncoming(b.CreateSelect(isEnded, emitter.i64(0),
                                      b.CreateAdd(count, emitter.i64(1))),
                       latch);
  if (hasSums)
    hasSums->addIncoming(b.CreateOr(hasSums, isEnded), latch);
  for (Side &side : sides) {
    if (!side.operand)
      continue;
    cast<llvm::PHINode>(side.before.isInPlace)
        ->addIncoming(side.started.isInPlace, latch);
    cast<llvm::PHINode>(side.before.first)
        ->addIncoming(side.started.first, latch);
  }
}

void DeferredDotsEmitter::end() {
  if (!deferred)
    return;
  llvm::Value *first = firstSlot();
  for (const Buffer *buffer : deferred->buffers)
    emitter.deferredStarts[buffer] = tileAt(buffer, first);
  llvm::Value *isLeft = b.CreateICmpNE(count, emitter.i64(0));
  if (deferred->store)
    placeSums(isLeft);
  emitIf(emitter, isLeft, [&] {
    for (tt::DotOp dot : deferred->dots) {
      ProductOperands operands =
          operandsOf(dot, placesOf(&Side::before), count);
      operands.written = written;
      operands.writtenRow = writtenRow;
      llvm::Value *waits = b.getFalse();
      if (emitter.joint && loop == emitter.program.joint->loop)
        waits = b.CreateAnd(
            operands.isFirst,
            b.CreateAnd(sides[0].before.isInPlace, sides[1].before.isInPlace));
      emitIf(emitter, waits, [&] { emitter.joint->add(operands); });
      emitIf(emitter, b.CreateNot(waits), [&] {
        emitProduct(
            emitter, dot, operands,
            prefetchAddresses(emitter, dot,
                              {b.getFalse(), b.getFalse(), keepsResult()}));
      });
    }
  });
  if (isPacked)
    b.CreateStore(holdsAll, isPacked);
  for (const Buffer *buffer : deferred->buffers) {
    emitter.buffers[buffer] = bases.lookup(buffer);
    emitter.deferredStarts.erase(buffer);
  }
  emitter.deferredLoops.erase(loop);
}

} // namespace nereid::cpu
