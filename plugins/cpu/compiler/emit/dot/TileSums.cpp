// TileSums.cpp - sums in tile registers: what they start with, and where they
// go.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/CountedLoop.h"
#include "emit/dot/Sums.h"
#include "emit/dot/TileDot.h"

using namespace mlir;

namespace nereid::cpu {

/// An i1: are the sums before zeros that are not in memory?
llvm::Value *TileDotEmitter::isZero() const {
  return in.isFirst ? in.isFirst : b.getInt1(shape.startsAtZero);
}

void TileDotEmitter::startSums(llvm::Value *c) {
  auto clear = [&] {
    eachSum(
        [&](int64_t, int64_t, int64_t tile) { emitTileZero(emitter, tile); });
  };
  emitIf(emitter, isZero(), clear);
  emitIf(emitter, b.CreateNot(isZero()), [&] { loadSums(c); });
}

void TileDotEmitter::loadSums(llvm::Value *c) {
  eachSum([&](int64_t row, int64_t column, int64_t tile) {
    emitTileLoad(emitter, tile, placeOf(c, i64(row), i64(column)),
                 i64(sumPitch()));
  });
}

/// Writes the sums of the block at tiles `row` and `column`.
void TileDotEmitter::endSums(const Batch &batch, llvm::Value *row,
                             llvm::Value *column) {
  llvm::Value *sums = placeOf(batch.sums, row, column);
  if (shape.store)
    storeBlock(sums, b.CreateMul(row, i64(tiling.rows)),
               b.CreateMul(column, i64(tiling.columns)));
  else
    writeTiles(sums, i64(sumPitch()));
}

/// Multiplies the sums of a block, those in `c` from tiles `row` and `column`
/// on, by the factors of their rows.
void TileDotEmitter::scaleBlock(llvm::Value *c, llvm::Value *row,
                                llvm::Value *column) {
  int64_t columns = blockColumns * tiling.columns;
  int64_t lanes =
      std::min<int64_t>(columns, emitter.options.cpu.vectorBits / 32);
  auto *vector = llvm::FixedVectorType::get(b.getFloatTy(), lanes);
  llvm::Value *block = placeOf(c, row, column);
  llvm::Value *factors = at(in.factors, row, tiling.rows * 4);
  emitLoop(b, blockRows * tiling.rows, 1, [&](llvm::Value *line) {
    llvm::Value *factor = b.CreateVectorSplat(
        lanes, emitter.inScratch(b.CreateAlignedLoad(
                   b.getFloatTy(), at(factors, line, 4), llvm::Align(4))));
    llvm::Value *first = at(block, line, sumPitch());
    for (int64_t number = 0; number < columns; number += lanes) {
      llvm::Value *place = at(first, i64(number), 4);
      llvm::Value *sums =
          emitter.inScratch(b.CreateAlignedLoad(vector, place, llvm::Align(4)));
      emitter.inScratch(b.CreateAlignedStore(b.CreateFMul(sums, factor), place,
                                             llvm::Align(4)));
    }
  });
}

/// Scales the block after that at `row` and `column`, if there is one: while a
/// block is multiplied, since tiles are loaded late from where vectors were
/// just stored.
void TileDotEmitter::scaleNextBlock(const Batch &batch, llvm::Value *row,
                                    llvm::Value *column) {
  struct Dim {
    llvm::Value *now, *end;
    int64_t step;
    llvm::Value *first;
  };
  Dim rows{row, batch.end, blockRows, batch.first};
  Dim columns{column, i64(tiling.columnTiles), blockColumns, i64(0)};
  bool isByRows = shape.terms > 1;
  const Dim &inner = isByRows ? columns : rows;
  const Dim &outer = isByRows ? rows : columns;
  llvm::Value *nextInner = b.CreateAdd(inner.now, i64(inner.step));
  llvm::Value *isLast = b.CreateICmpSGE(nextInner, inner.end);
  nextInner = b.CreateSelect(isLast, inner.first, nextInner);
  llvm::Value *nextOuter = b.CreateSelect(
      isLast, b.CreateAdd(outer.now, i64(outer.step)), outer.now);
  emitIf(emitter, b.CreateICmpSLT(nextOuter, outer.end), [&] {
    if (isByRows)
      scaleBlock(batch.sums, nextOuter, nextInner);
    else
      scaleBlock(batch.sums, nextInner, nextOuter);
  });
}

/// Stores the tiles of a block to rows that are `pitch` bytes apart.
void TileDotEmitter::writeTiles(llvm::Value *first, llvm::Value *pitch) {
  eachSum([&](int64_t row, int64_t column, int64_t tile) {
    llvm::Value *place =
        b.CreateGEP(b.getInt8Ty(), at(first, i64(column), tiling.columns * 4),
                    b.CreateMul(pitch, i64(row * tiling.rows)));
    emitTileStore(emitter, tile, place, pitch);
  });
}

/// Stores a block that begins at `row` and `column` as the last product of a
/// loop does; `sums`: its place in scratch.
void TileDotEmitter::storeBlock(llvm::Value *sums, llvm::Value *row,
                                llvm::Value *column) {
  llvm::Type *type = typeStored(emitter, *shape.store);
  llvm::Value *to = b.CreateGEP(
      type,
      b.CreateGEP(b.getInt8Ty(), in.written, b.CreateMul(row, in.writtenRow)),
      column);
  if (!shape.store->hasElementOps()) // to scratch too
    return writeTiles(to, in.writtenRow);
  // By way of the first block, which stays in the first cache, if none of the
  // others has sums yet.
  llvm::Value *isStored = b.CreateIsNotNull(in.written);
  llvm::Value *from = sums;
  if (in.isFirst)
    from = b.CreateSelect(b.CreateAnd(isStored, in.isFirst), in.sums, sums);
  writeTiles(from, i64(sumPitch()));
  emitIf(emitter, isStored, [&] { storeRows(from, to); });
}

/// Stores what is computed from the sums of a block in scratch.
void TileDotEmitter::storeRows(llvm::Value *from, llvm::Value *to) {
  llvm::Type *type = typeStored(emitter, *shape.store);
  llvm::Type *sum = convertElementType(shape.sum, emitter.context());
  int64_t columns = blockColumns * tiling.columns;
  int64_t lanes =
      std::min<int64_t>(columns, emitter.options.cpu.vectorBits / 32);
  auto *vector = llvm::FixedVectorType::get(sum, lanes);
  emitLoop(b, blockRows * tiling.rows, 1, [&](llvm::Value *row) {
    llvm::Value *line = at(from, row, sumPitch());
    llvm::Value *result =
        b.CreateGEP(b.getInt8Ty(), to, b.CreateMul(row, in.writtenRow));
    for (int64_t column = 0; column < columns; column += lanes) {
      llvm::Value *sums = emitter.inScratch(b.CreateAlignedLoad(
          vector, b.CreateGEP(sum, line, i64(column)), llvm::Align(4)));
      emitStored(emitter, *shape.store, sums,
                 b.CreateGEP(type, result, i64(column)));
    }
  });
}

} // namespace nereid::cpu
