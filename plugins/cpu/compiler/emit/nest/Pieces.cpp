// Pieces.cpp - parts of an axis in which quotients of the index stay the same.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that see a tensor as one row compute where an element is by
// divisions: `offs // n * stride + offs % n`, also of remainders. From one
// multiple of n to the next such an address is a sum of products like others. A
// loop over the pieces computes the quotients and remainders of the first
// element and how far they hold; the vectors that a piece does not fill compute
// those of each lane.

#include "emit/nest/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::PlannedDivision;

/// Emits the axis in pieces: in `full` all conditions are true, in `useful`
/// some root has an effect. `emitWhole` emits the vectors of a piece, a
/// multiple of `step` elements.
void NestEmitter::emitPieces(const Inner &inner, Range full, Range useful,
                             int64_t step,
                             llvm::function_ref<void(Range)> emitWhole) {
  llvm::Value *areLong = haveVectors();
  Loop loop = beginLoop(useful.begin, useful.end, 0);
  llvm::Value *begin = loop.index;
  setVectorIndex(begin);
  Indices start = current;
  start[nest.vectorAxis].lane = 0;
  llvm::Value *length = lengthOfPiece(start);
  insertAt(levels.size() - 1);
  llvm::Value *room = builder.CreateSub(full.end, begin);
  llvm::Value *whole = emitter.smaller(length, room);
  whole = builder.CreateAnd(emitter.larger(whole, emitter.i64(0)),
                            emitter.i64(-step));
  llvm::Value *isBefore = builder.CreateICmpSLT(begin, full.begin);
  whole = builder.CreateSelect(isBefore, emitter.i64(0), whole);
  llvm::Value *end = builder.CreateAdd(begin, whole);
  place(end, levels.size() - 1);

  piece = begin;
  beginAssumption({begin, end}, masks);
  emitWhole({begin, end, nullptr, /*isKnownNotEmpty=*/true});
  endAssumption();
  piece = nullptr;

  // A piece that ends with a vector is followed by the next.
  insertAt(levels.size() - 1);
  llvm::Value *isFilled =
      builder.CreateAnd(builder.CreateICmpEQ(whole, length),
                        builder.CreateICmpSGT(whole, emitter.i64(0)));
  llvm::Value *next = builder.CreateAdd(
      end, builder.CreateSelect(isFilled, emitter.i64(0), emitter.i64(lanes)));
  next = builder.CreateSelect(areLong, emitter.smaller(next, useful.end),
                              useful.end);
  place(next, levels.size() - 1);
  emitVectorLoop(inner, {end, next}, 1);
  loop.next = next;
  endLoop(loop);
}

/// An i1: no piece is certainly shorter than two vectors.
llvm::Value *NestEmitter::haveVectors() {
  llvm::Value *have = nullptr;
  for (const PlannedDivision &division : masks->divisions) {
    Indices first = indicesAt(division.map, current);
    llvm::Value *divisor =
        asI64(get(division.value.getDefiningOp()->getOperand(1), first));
    have = bothOf(have, at({divisor}, [&] {
                    return builder.CreateICmpSGE(
                        divisor, emitter.i64(masks->leastDivisor));
                  }));
  }
  return have;
}

/// How many elements the piece has that begins at `start`; 0 if the divisions
/// are not as PlannedDivision says.
llvm::Value *NestEmitter::lengthOfPiece(const Indices &start) {
  llvm::Value *length = emitter.i64(nest.shape[nest.vectorAxis]);
  for (const PlannedDivision &division : masks->divisions) {
    if (!division.grows)
      continue;
    Indices indices = indicesAt(division.map, start);
    Operation *op = division.value.getDefiningOp();
    llvm::Value *dividend = asI64(get(op->getOperand(0), indices));
    llvm::Value *divisor = asI64(get(op->getOperand(1), indices));
    llvm::Value *result = asI64(get(division.value, indices));
    length = at({length, dividend, divisor, result}, [&] {
      llvm::Value *rest =
          division.isRemainder
              ? result
              : builder.CreateSub(dividend, builder.CreateMul(result, divisor));
      llvm::Value *room = builder.CreateSub(divisor, rest);
      llvm::Value *most =
          builder.CreateSub(emitter.i64(division.mostDividend), dividend);
      llvm::Value *holds =
          builder.CreateAnd(builder.CreateICmpSGE(dividend, emitter.i64(0)),
                            builder.CreateICmpSGT(divisor, emitter.i64(0)));
      return builder.CreateSelect(
          holds, emitter.smaller(length, emitter.smaller(room, most)),
          emitter.i64(0));
    });
  }
  return length;
}

/// The division that `value` is, if it is that of the current vector and this
/// vector is in a piece.
const PlannedDivision *NestEmitter::pieceOf(Value value,
                                            const Indices &indices) {
  if (!piece)
    return nullptr;
  auto isThis = [&](const PlannedDivision &division) {
    return division.value == value && isAtCurrent(value, division.map, indices);
  };
  const PlannedDivision *found = llvm::find_if(masks->divisions, isThis);
  return found == masks->divisions.end() ? nullptr : found;
}

/// The value of `division` where the current piece begins.
Element NestEmitter::firstInPiece(const PlannedDivision &division) {
  Indices start = current;
  start[nest.vectorAxis] = {piece, 0, nullptr};
  return get(division.value, indicesAt(division.map, start));
}

/// The distance of the current vector from where the piece begins.
llvm::Value *NestEmitter::placeInPiece() {
  llvm::Value *index = current[nest.vectorAxis].base;
  return at({index, piece}, [&] { return builder.CreateSub(index, piece); });
}

/// The value of `division` in the lanes of the current vector.
Element NestEmitter::inPiece(const PlannedDivision &division) {
  assumed = true;
  Element first = firstInPiece(division);
  if (!division.stride())
    return first;
  llvm::Value *place = placeInPiece();
  auto *type = cast<llvm::IntegerType>(first.value->getType());
  return {at({first.value, place},
             [&] {
               llvm::Value *base = builder.CreateAdd(
                   first.value, builder.CreateTrunc(place, type));
               return builder.CreateAdd(builder.CreateVectorSplat(lanes, base),
                                        laneOffsets(1, type->getBitWidth()));
             }),
          true};
}

} // namespace nereid::cpu
