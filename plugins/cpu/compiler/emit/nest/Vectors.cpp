// Vectors.cpp - the loop over the vectors of an axis, and those in one round.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/nest/NestEmitter.h"

using namespace mlir;

namespace nereid::cpu {

/// Begins the loop over rows that is inside of that over pieces, or of that
/// over vectors that are in no piece.
std::optional<Loop> NestEmitter::beginRowsInside(bool inPiece) {
  if (!nest.hasRowsInside || bool(piece) != inPiece)
    return std::nullopt;
  unsigned dim = *rowDimOf(nest);
  Loop rows = beginLoop(emitter.i64(0), emitter.i64(nest.shape[dim]), 1);
  current[dim] = {rows.index, 0, nullptr};
  return rows;
}

/// Runs the roots for each vector of `range`, `unroll` of them at a time; the
/// range is a multiple of that.
void NestEmitter::emitVectorLoop(const Inner &inner, AxisRange range,
                                 unsigned unroll) {
  std::optional<Loop> rows = beginRowsInside(/*inPiece=*/true);
  emitVectors(inner, range, unroll);
  if (rows)
    endLoop(*rows);
}

/// The same in one row.
void NestEmitter::emitVectors(const Inner &inner, AxisRange range,
                              unsigned unroll) {
  auto *knownBegin = dyn_cast<llvm::ConstantInt>(range.begin);
  auto *knownEnd = dyn_cast<llvm::ConstantInt>(range.end);
  int64_t step = int64_t(lanes) * unroll;
  if (knownBegin && knownEnd) {
    int64_t count = knownEnd->getSExtValue() - knownBegin->getSExtValue();
    if (count <= 0)
      return;
    if (count == step)
      return emitCopies(inner, range.begin, unroll);
  }
  Loop loop = beginLoop(range.begin, range.end, step, range.isKnownNotEmpty);
  emitCopies(inner, loop.index, unroll);
  endLoop(loop);
}

void NestEmitter::emitCopies(const Inner &inner, llvm::Value *index,
                             unsigned unroll) {
  if (nest.elementLoop)
    return emitBlockOfLoop(inner, index, unroll);
  if (nest.combinesRuns)
    return emitRuns(index, unroll);
  // Without pieces, what each vector divides is the same for all rows.
  std::optional<Loop> rows = beginRowsInside(/*inPiece=*/false);
  for (unsigned copy = 0; copy < unroll; ++copy) {
    llvm::Value *base = at({index}, [&] {
      return copy ? builder.CreateAdd(index, emitter.i64(copy * lanes)) : index;
    });
    setVectorIndex(base);
    emitRoots(inner, copy);
  }
  if (rows)
    endLoop(*rows);
  current[nest.vectorAxis] = zero();
  activeLanes = nullptr;
}

/// If ends of pieces are masked, a vector may begin anywhere.
void NestEmitter::setVectorIndex(llvm::Value *base) {
  if (!isa<llvm::Constant>(base) && !(masks && masks->masksEnds))
    multiples[base] = lanes;
  current[nest.vectorAxis] = {base, lanes > 1 ? 1 : 0, nullptr};
  if (activeEnd)
    activeLanes = at({base, activeEnd}, [&] {
      llvm::Value *count = builder.CreateTrunc(
          builder.CreateSub(activeEnd, base), builder.getInt32Ty());
      return builder.CreateICmpSLT(laneOffsets(1, 32),
                                   builder.CreateVectorSplat(lanes, count));
    });
}

} // namespace nereid::cpu
