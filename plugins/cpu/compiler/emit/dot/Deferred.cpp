// Deferred.cpp - loops whose dots multiply the operands of several iterations.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/dot/Deferred.h"

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
  if (deferred->inPlace)
    rowStride = emitter.polynomial(deferred->inPlace->rowStride);
  if (deferred->shared)
    compareKey();
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
  isPacked = remember(b.getInt1Ty(), "packed");
  isShared = b.CreateLoad(b.getInt1Ty(), isPacked);
  for (Value value : shared.key) {
    llvm::Value *bits = emitter.scalar(value);
    if (bits->getType()->isFloatingPointTy())
      bits = b.CreateBitCast(
          bits, b.getIntNTy(bits->getType()->getScalarSizeInBits()));
    llvm::AllocaInst *place = remember(bits->getType(), "key");
    llvm::Value *before = b.CreateLoad(bits->getType(), place);
    isShared = b.CreateAnd(isShared, b.CreateICmpEQ(bits, before));
    b.CreateStore(bits, place);
  }
}

void DeferredDotsEmitter::begin(llvm::BasicBlock *entry) {
  if (!deferred)
    return;
  auto carry = [&](llvm::Value *first) {
    llvm::PHINode *phi = b.CreatePHI(first->getType(), 2);
    phi->addIncoming(first, entry);
    return phi;
  };
  slot = carry(emitter.i64(0));
  first = emitter.i64(0);
  if (deferred->shared)
    group = carry(emitter.i64(0));
  if (deferred->inPlace) {
    first = carry(emitter.i64(0));
    isFirstInPlace = carry(b.getFalse());
    firstInPlace = carry(llvm::ConstantPointerNull::get(b.getPtrTy()));
  }
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

void DeferredDotsEmitter::enterIteration() {
  if (!deferred)
    return;
  isFull = b.CreateICmpEQ(slot, emitter.i64(deferred->iterations - 1));
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
  if (deferred->shared && root.value == deferred->shared->value)
    return b.CreateNot(isShared);
  if (!deferred->inPlace || root.op != deferred->inPlace->load)
    return nullptr;
  tile = emitInPlaceTile(emitter, nest, *deferred->inPlace);
  return b.CreateNot(tile.isUsable);
}

/// The operands of `iterations` deferred iterations, the first with `left`.
ProductOperands DeferredDotsEmitter::operandsOf(tt::DotOp dot, const Left &left,
                                                llvm::Value *iterations) {
  const DotPlan &plan = emitter.program.dots.at(dot);
  ProductOperands operands{firstTile(emitter, deferred, plan.left),
                           firstTile(emitter, deferred, plan.right),
                           iterations};
  if (!left.first)
    return operands;
  llvm::Value *copied = emitter.i64(shapeOf(emitter, dot).left.line);
  operands.left = b.CreateSelect(left.isInPlace, left.first, operands.left);
  operands.row = b.CreateSelect(left.isInPlace, rowStride, copied);
  return operands;
}

void DeferredDotsEmitter::emitDot(tt::DotOp dot) {
  if (deferred->inPlace)
    return emitInPlaceDot(dot);
  isEnded = isFull;
  SmallVector<llvm::Value *> prefetches = prefetchAddresses(emitter, dot);
  emitIf(emitter, isFull, [&] {
    llvm::Value *all = emitter.i64(deferred->iterations);
    emitProduct(emitter, dot, operandsOf(dot, {}, all), prefetches);
  });
}

/// Where this iteration does not continue the rows of the deferred ones,
/// multiplies those, and then this one.
void DeferredDotsEmitter::emitInPlaceDot(tt::DotOp dot) {
  Left before{isFirstInPlace, firstInPlace}, now{tile.isUsable, tile.first};
  llvm::Value *count = b.CreateSub(slot, first);
  llvm::Value *isFirst = b.CreateICmpEQ(count, emitter.i64(0));
  started.isInPlace = b.CreateSelect(isFirst, now.isInPlace, before.isInPlace);
  started.first = b.CreateSelect(isFirst, now.first, before.first);

  tt::LoadOp load = deferred->inPlace->load;
  int64_t depth = codegen::tileType(load.getResult()).getShape().back();
  llvm::Value *next =
      b.CreateGEP(emitter.memoryType(load.getType()), before.first,
                  b.CreateMul(count, emitter.i64(depth)));
  llvm::Value *continues = b.CreateSelect(
      before.isInPlace,
      b.CreateAnd(now.isInPlace, b.CreateICmpEQ(next, now.first)),
      b.CreateNot(now.isInPlace));
  llvm::Value *isApart =
      b.CreateAnd(b.CreateNot(isFirst), b.CreateNot(continues));
  emitIf(emitter, isApart, [&] {
    emitProduct(emitter, dot, operandsOf(dot, before, count));
    ProductOperands last = operandsOf(dot, now, emitter.i64(1));
    const DotPlan &plan = emitter.program.dots.at(dot);
    const Buffer *left = bufferOf(emitter.program, plan.left);
    const Buffer *right = bufferOf(emitter.program, plan.right);
    last.left =
        b.CreateSelect(now.isInPlace, now.first, emitter.buffers.lookup(left));
    if (deferred->buffers.contains(right))
      last.right = emitter.buffers.lookup(right);
    emitProduct(emitter, dot, last);
  });
  SmallVector<llvm::Value *> prefetches = prefetchAddresses(emitter, dot);
  emitIf(emitter, b.CreateAnd(isFull, b.CreateNot(isApart)), [&] {
    emitProduct(emitter, dot,
                operandsOf(dot, started, b.CreateAdd(count, emitter.i64(1))),
                prefetches);
  });
  isEnded = b.CreateOr(isFull, isApart);
}

void DeferredDotsEmitter::leaveIteration() {
  if (!deferred)
    return;
  llvm::BasicBlock *latch = b.GetInsertBlock();
  llvm::Value *next = b.CreateAdd(slot, emitter.i64(1));
  next = b.CreateSelect(isFull, emitter.i64(0), next);
  slot->addIncoming(next, latch);
  // Groups are filled only if there is one for each iteration.
  if (group)
    group->addIncoming(
        b.CreateAdd(
            group, b.CreateZExt(b.CreateAnd(isFull, holdsAll), b.getInt64Ty())),
        latch);
  if (deferred->inPlace) {
    cast<llvm::PHINode>(first)->addIncoming(
        b.CreateSelect(isEnded, next, first), latch);
    isFirstInPlace->addIncoming(started.isInPlace, latch);
    firstInPlace->addIncoming(started.first, latch);
  }
}

void DeferredDotsEmitter::end() {
  if (!deferred)
    return;
  for (const Buffer *buffer : deferred->buffers)
    emitter.deferredStarts[buffer] = tileAt(buffer, first);
  llvm::Value *count = b.CreateSub(slot, first);
  llvm::Value *isLeft = b.CreateICmpNE(count, emitter.i64(0));
  emitIf(emitter, isLeft, [&] {
    for (tt::DotOp dot : deferred->dots)
      emitProduct(emitter, dot,
                  operandsOf(dot, {isFirstInPlace, firstInPlace}, count));
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
