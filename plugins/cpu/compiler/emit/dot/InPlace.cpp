// InPlace.cpp - deferred dots that read operands where they are in memory.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/dot/Deferred.h"

using namespace mlir;

namespace nereid::cpu {

/// Finds out which operands may be in place in this program.
void DeferredDotsEmitter::findSides() {
  for (auto [side, operand] : llvm::zip(sides, deferred->inPlace)) {
    if (!operand)
      continue;
    side.operand = &*operand;
    tt::LoadOp load = operand->load;
    llvm::Type *element =
        emitter.memoryType(getElementTypeOrSelf(load.getResult()));
    side.stride = b.CreateMul(emitter.polynomial(operand->stride),
                              emitter.i64(Emitter::bytesOf(element)));
    if (!operand->mostRows)
      continue;
    llvm::Value *rows = rowsOf(emitter, *operand);
    int64_t atOnce = operand->mostRows / operand->rowGroups;
    auto hasAtMost = [&](int64_t most) -> llvm::Value * {
      return rows ? b.CreateICmpSLE(rows, emitter.i64(most))
                  : b.getInt1(most == operand->mostRows);
    };
    side.isAllowed = hasAtMost(operand->mostRows);
    if (operand->firstRow)
      side.isAllowed = b.CreateAnd(side.isAllowed, fitsFrom(*operand, rows));
    // If other programs have the same operand, to pack it once takes less time
    // than to read it twice in each.
    if (operand->rowGroups > 1 && deferred->shared) {
      llvm::Value *isAlone =
          operand->rowsLeft ? b.CreateICmpSLE(emitter.scalar(operand->rowsLeft),
                                              emitter.i64(operand->mostRows))
                            : b.CreateNot(isSame);
      if (operand->firstRow)
        isAlone = b.CreateOr(isAlone, isPart());
      isAlone = b.CreateOr(isAlone, hasAtMost(atOnce));
      side.isAllowed = b.CreateAnd(side.isAllowed, isAlone);
    }
    if (!isShared)
      continue;
    side.isAllowed = b.CreateAnd(side.isAllowed, b.CreateNot(isShared));
    holdsAll = b.CreateAnd(holdsAll, b.CreateNot(side.isAllowed));
  }
}

/// An i1: are so many rows, rounded up to those that are multiplied at once,
/// rows of the tile from the first on that is needed?
llvm::Value *DeferredDotsEmitter::fitsFrom(const InPlaceOperand &operand,
                                           llvm::Value *rows) {
  tt::DotOp dot = deferred->dots.front();
  int64_t all = dot.getType().getShape().front();
  int64_t atOnce = operand.mostRows / operand.rowGroups;
  llvm::Value *last = b.CreateSelect(b.CreateICmpSLE(rows, emitter.i64(atOnce)),
                                     emitter.i64(all - atOnce),
                                     emitter.i64(all - operand.mostRows));
  return b.CreateICmpSLE(emitter.scalar(operand.firstRow), last);
}

/// An i1: does another thread have other rows of the tile?
llvm::Value *DeferredDotsEmitter::isPart() {
  const RowParts &parts = *emitter.program.parts;
  return b.CreateOr(
      b.CreateICmpNE(emitter.scalar(parts.first), b.getInt32(0)),
      b.CreateICmpNE(emitter.scalar(parts.end), b.getInt32(parts.rows)));
}

DeferredDotsEmitter::Places
DeferredDotsEmitter::placesOf(Place Side::*which) const {
  return {sides[0].*which, sides[1].*which};
}

/// Makes the operands those of `places` where these are in place, or converts
/// them from there.
void DeferredDotsEmitter::placeIn(ProductOperands &operands, tt::DotOp dot,
                                  const Places &places) {
  const auto &[left, right] = places;
  DotShape shape = shapeOf(emitter, dot);
  if (left.first && sides[0].operand->isExtended) {
    emitIf(emitter, left.isInPlace, [&] {
      emitWiden(emitter, dot, *sides[0].operand, left.first, sides[0].stride,
                operands);
    });
  } else if (left.first) {
    operands.left = b.CreateSelect(left.isInPlace, left.first, operands.left);
    operands.row =
        b.CreateSelect(left.isInPlace, sides[0].stride,
                       emitter.i64(shape.left.line * shape.wordBytes()));
  }
  if (right.first) {
    operands.isInPlace = right.isInPlace;
    operands.lines = right.first;
    operands.line = sides[1].stride;
  }
}

/// An i1: is the tile of this iteration where that of `count` iterations after
/// the first deferred one would be?
llvm::Value *DeferredDotsEmitter::continues(const Side &side) {
  tt::LoadOp load = side.operand->load;
  llvm::Type *element =
      emitter.memoryType(getElementTypeOrSelf(load.getResult()));
  bool hasRowsAfter = &side == &sides[1] && !side.operand->isByColumns;
  tt::DotOp dot = deferred->dots.front();
  int64_t depth = dot.getA().getType().getShape().back();
  llvm::Value *tile =
      hasRowsAfter ? b.CreateMul(side.stride, emitter.i64(depth))
                   : emitter.i64(depth * Emitter::bytesOf(element));
  llvm::Value *next =
      b.CreateGEP(b.getInt8Ty(), side.before.first, b.CreateMul(count, tile));
  return b.CreateSelect(
      side.before.isInPlace,
      b.CreateAnd(side.now.isInPlace, b.CreateICmpEQ(next, side.now.first)),
      b.CreateNot(side.now.isInPlace));
}

/// Where this iteration does not continue the deferred ones, multiplies those,
/// and then this one.
void DeferredDotsEmitter::emitInPlaceDot(tt::DotOp dot) {
  llvm::Value *isFirst = b.CreateICmpEQ(count, emitter.i64(0));
  llvm::Value *allContinue = b.getTrue();
  for (Side &side : sides) {
    if (!side.operand)
      continue;
    side.started = {
        b.CreateSelect(isFirst, side.now.isInPlace, side.before.isInPlace),
        b.CreateSelect(isFirst, side.now.first, side.before.first)};
    allContinue = b.CreateAnd(allContinue, continues(side));
  }
  // With both in place no buffer is filled: any number may be deferred, so that
  // the whole of a row or column is read at once.
  if (sides[0].operand && !sides[0].operand->isExtended && sides[1].operand)
    isFull = b.CreateAnd(isFull,
                         b.CreateNot(b.CreateAnd(sides[0].started.isInPlace,
                                                 sides[1].started.isInPlace)));
  llvm::Value *isApart =
      b.CreateAnd(b.CreateNot(isFirst), b.CreateNot(allContinue));
  emitIf(emitter, isApart, [&] {
    emitProduct(emitter, dot, operandsOf(dot, placesOf(&Side::before), count));
    const DotPlan &plan = emitter.program.dots.at(dot);
    auto tileOf = [&](const DotOperand &operand) {
      const Buffer *buffer = emitter.program.bufferOf(operand);
      return deferred->buffers.contains(buffer)
                 ? emitter.buffers.lookup(buffer)
                 : firstTile(emitter, deferred, operand);
    };
    ProductOperands last{tileOf(plan.left), tileOf(plan.right), emitter.i64(1)};
    last.isFirst = b.getFalse();
    placeIn(last, dot, placesOf(&Side::now));
    emitProduct(emitter, dot, last);
  });
  SmallVector<llvm::Value *> prefetches = addressesToPrefetch(dot);
  emitIf(emitter, b.CreateAnd(isFull, b.CreateNot(isApart)), [&] {
    emitProduct(emitter, dot,
                operandsOf(dot, placesOf(&Side::started),
                           b.CreateAdd(count, emitter.i64(1))),
                prefetches);
  });
  isEnded = b.CreateOr(isFull, isApart);
}

} // namespace nereid::cpu
