// Pieces.cpp - parts of an axis in which quotients of the index stay the same.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that see a tensor as one row compute where an element is by
// divisions: `offs // n * stride + offs % n`, also of remainders. From one
// multiple of n to the next such an address is a sum of products like others. A
// loop over the pieces computes the quotients and remainders of the first
// element and how far they hold. What a piece has beyond whole vectors is one
// more vector, with a mask; without masks, the vectors that a piece does not
// fill compute quotients and remainders of each lane.

#include "emit/nest/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::cpu {

using codegen::PlannedDivision;

/// Emits the axis in pieces: in `full` all conditions are true, in `useful`
/// some root has an effect. `emitWhole` emits the vectors of a piece, a
/// multiple of `step` elements.
void NestEmitter::emitPieces(const Inner &inner, AxisRange full,
                             AxisRange useful, int64_t step,
                             llvm::function_ref<void(AxisRange)> emitWhole) {
  llvm::Value *areLong = areDivisors(masks->leastDivisor);
  llvm::Value *endsMasked = builder.getFalse(), *streams = emitter.streams;
  if (masks->masksEnds) {
    // Stores that bypass the caches are of vectors that begin at multiples of
    // their size.
    constexpr int64_t kLeastToStream = 16;
    emitter.streams = streams
                          ? bothOf(streams, areDivisors(kLeastToStream * lanes))
                          : builder.getFalse();
    endsMasked = at({areLong, emitter.streams}, [&] {
      return builder.CreateAnd(areLong, builder.CreateNot(emitter.streams));
    });
  }
  Loop loop = beginLoop(useful.begin, useful.end, 0);
  llvm::Value *begin = loop.index;
  setVectorIndex(begin);
  Indices start = current;
  start[nest.vectorAxis].lane = 0;
  llvm::Value *length = lengthOfPiece(start);
  insertAt(levels.size() - 1);
  llvm::Value *inFull =
      emitter.smaller(length, builder.CreateSub(full.end, begin));
  inFull = builder.CreateSelect(builder.CreateICmpSLT(begin, full.begin),
                                emitter.i64(0),
                                emitter.larger(inFull, emitter.i64(0)));
  inFull =
      builder.CreateSelect(endsMasked, untilAligned(begin, inFull), inFull);
  llvm::Value *end =
      builder.CreateAdd(begin, builder.CreateAnd(inFull, emitter.i64(-step)));
  llvm::Value *last =
      builder.CreateSelect(endsMasked, builder.CreateAdd(begin, inFull), end);
  place(end, levels.size() - 1);
  place(last, levels.size() - 1);

  piece = begin;
  auto emitIn = [&](AxisRange range, llvm::function_ref<void(AxisRange)> emit) {
    range.isKnownNotEmpty = true;
    beginAssumption(range, masks);
    emit(range);
    endAssumption();
  };
  if (fillsVectors())
    emitIn({begin, end}, emitWhole);
  else
    end = begin;
  if (masks->masksEnds) {
    activeEnd = last;
    emitIn({end, last}, [&](AxisRange range) {
      if (nest.elementLoop)
        emitBlocksOfLoop(inner, range);
      else
        emitVectorLoop(inner, range, 1);
    });
  }
  piece = nullptr;

  // A piece that ends with a vector or a mask is followed by the next.
  insertAt(levels.size() - 1);
  llvm::Value *done = builder.CreateSub(last, begin);
  llvm::Value *isFilled = builder.CreateAnd(
      builder.CreateICmpSGT(done, emitter.i64(0)),
      builder.CreateOr(endsMasked, builder.CreateICmpEQ(done, length)));
  llvm::Value *next = builder.CreateAdd(
      last, builder.CreateSelect(isFilled, emitter.i64(0), emitter.i64(lanes)));
  next = builder.CreateSelect(areLong, emitter.smaller(next, useful.end),
                              useful.end);
  place(next, levels.size() - 1);
  if (masks->masksEnds)
    activeEnd = next;
  emitVectorLoop(inner, {last, next}, 1);
  activeEnd = nullptr;
  loop.next = next;
  endLoop(loop);
  emitter.streams = streams;
}

/// How many of the `length` elements from `begin` on are done at once: of a
/// long piece those before the next multiple of a vector, so that the vectors
/// after them do not cross cache lines where the tile's do not.
llvm::Value *NestEmitter::untilAligned(llvm::Value *begin,
                                       llvm::Value *length) {
  constexpr int64_t kLong = 32; // vectors
  llvm::Value *head = builder.CreateAnd(builder.CreateNeg(begin),
                                        emitter.i64(int64_t(lanes) - 1));
  llvm::Value *isApart = builder.CreateAnd(
      builder.CreateICmpNE(head, emitter.i64(0)),
      builder.CreateICmpSGE(length, emitter.i64(kLong * lanes)));
  return builder.CreateSelect(isApart, head, length);
}

/// Can a piece be as long as two vectors, which have no masks? An element loop
/// would be emitted twice.
bool NestEmitter::fillsVectors() const {
  if (nest.elementLoop && masks->masksEnds)
    return false;
  return !masks->masksEnds ||
         llvm::none_of(masks->divisions, [&](const PlannedDivision &division) {
           llvm::APInt divisor;
           return division.grows &&
                  matchPattern(division.value.getDefiningOp()->getOperand(1),
                               m_ConstantInt(&divisor)) &&
                  divisor.slt(2 * int64_t(lanes));
         });
}

/// An i1: no divisor whose multiples end pieces is less than `least`.
llvm::Value *NestEmitter::areDivisors(int64_t least) {
  llvm::Value *are = builder.getTrue();
  for (const PlannedDivision &division : masks->divisions) {
    if (!division.grows)
      continue;
    Indices first = indicesAt(division.map, current);
    llvm::Value *divisor =
        asI64(get(division.value.getDefiningOp()->getOperand(1), first));
    are = bothOf(are, at({divisor}, [&] {
                   return builder.CreateICmpSGE(divisor, emitter.i64(least));
                 }));
  }
  return are;
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

/// Where the current piece begins, through `map`.
Indices NestEmitter::startOfPiece(const IndexMap &map) {
  Indices start = current;
  start[nest.vectorAxis] = {piece, 0, nullptr};
  return indicesAt(map, start);
}

/// The value of `value`, if the plan says that it is the same in the current
/// piece.
std::optional<Element> NestEmitter::constantInPiece(Value value,
                                                    const Indices &indices) {
  if (!piece)
    return std::nullopt;
  auto isThis = [&](const codegen::PlannedConstant &constant) {
    return constant.value == value && isAtCurrent(value, constant.map, indices);
  };
  const auto *found = llvm::find_if(masks->constants, isThis);
  if (found == masks->constants.end())
    return std::nullopt;
  assumed = true;
  return get(value, startOfPiece(found->map));
}

/// The distance of the current vector from where the piece begins.
llvm::Value *NestEmitter::placeInPiece() {
  llvm::Value *index = current[nest.vectorAxis].base;
  auto distanceOf = [&](llvm::Value *from) {
    return at({from, piece}, [&] { return builder.CreateSub(from, piece); });
  };
  // The vectors of a block share a register.
  auto [first, distance] = asSum(index);
  if (block.empty() || !distance)
    return distanceOf(index);
  llvm::Value *place = distanceOf(first);
  return at({place}, [&, distance = distance] {
    return builder.CreateAdd(place, emitter.i64(distance));
  });
}

/// The value of `division` in the lanes of the current vector.
Element NestEmitter::inPiece(const PlannedDivision &division) {
  assumed = true;
  Element first = get(division.value, startOfPiece(division.map));
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
