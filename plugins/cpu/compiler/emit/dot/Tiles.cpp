// Tiles.cpp - products of tiles in the tile registers of AMX.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/CountedLoop.h"
#include "emit/dot/TileDot.h"

using namespace mlir;

namespace nereid::cpu {

Tiling::Tiling(const DotShape &shape)
    : elementBytes(shape.factorBytes()), rows(std::min(shape.rows, kTileRows)),
      columns(shape.packing.columns), depth(shape.packing.depth),
      rowTiles(shape.rows / rows), columnTiles(shape.columns / columns),
      depthTiles(shape.depth / depth), terms(shape.terms) {}

TileDotEmitter::TileDotEmitter(Emitter &emitter, const DotShape &shape,
                               const DotArguments &in)
    : emitter(emitter), b(emitter.builder), shape(shape), in(in),
      tiling(shape) {
  bool isRow = tiling.rowTiles == 1, isColumn = tiling.columnTiles == 1;
  blockRows = std::min<int64_t>(tiling.rowTiles, isColumn ? kSumTiles : 2);
  blockColumns = std::min<int64_t>(tiling.columnTiles, isRow ? kSumTiles : 2);
  leftTiles = isColumn ? 3 : isRow ? 1 : 2;
  rowBlocks = tiling.rowTiles / blockRows;
  columnBlocks = tiling.columnTiles / blockColumns;
}

void TileDotEmitter::run() {
  leftPitch = in.row ? in.row : i64(shape.left.line * shape.wordBytes());
  leftTile = b.CreateMul(leftPitch, i64(tiling.rows));
  setSizes();
  emitLoop(b, shape.batches, 1, [&](llvm::Value *number) {
    Batch batch;
    batch.left = at(in.left, number, shape.left.batch * shape.wordBytes());
    batch.right = at(in.right, number, tiling.batchBytes());
    batch.sums = at(in.sums, number, shape.rows * sumPitch());
    limitRows(batch);
    if (shape.terms > 1)
      return runByRows(batch);
    if (shape.hasFactors)
      scaleBlock(batch.sums, batch.first, i64(0));
    // A column of tiles of the right operand stays in the L1 cache.
    emitLoop(b, tiling.columnTiles, blockColumns, [&](llvm::Value *column) {
      eachRow(batch, [&](llvm::Value *row) {
        startBlock(batch, row, column);
        multiply(batch, row, column, nullptr);
        endSums(batch, row, column);
      });
    });
  });
  emitTileRelease(emitter);
}

/// Finds the tiles of the blocks with rows that are needed; one if there are
/// none.
void TileDotEmitter::limitRows(Batch &batch) {
  batch.first = i64(0);
  batch.end = i64(tiling.rowTiles);
  if (!shape.hasRowLimit)
    return;
  llvm::Value *rows = emitter.larger(in.rows, i64(1));
  rows = b.CreateAdd(rows, i64(tiling.rows - 1));
  batch.end = emitter.smaller(b.CreateUDiv(rows, i64(tiling.rows)), batch.end);
  if (!shape.hasFirstRow)
    return;
  llvm::Value *last = b.CreateSub(batch.end, i64(1));
  batch.first =
      emitter.smaller(b.CreateUDiv(in.firstRow, i64(tiling.rows)), last);
  batch.first =
      b.CreateSub(batch.first, b.CreateURem(batch.first, i64(blockRows)));
}

void TileDotEmitter::eachRow(const Batch &batch,
                             llvm::function_ref<void(llvm::Value *)> body) {
  emitLoop(b, b.CreateSub(batch.end, batch.first), blockRows, {},
           [&](llvm::Value *row) { body(b.CreateAdd(batch.first, row)); });
}

/// Starts the sums of the block at tiles `row` and `column`.
void TileDotEmitter::startBlock(const Batch &batch, llvm::Value *row,
                                llvm::Value *column) {
  startSums(placeOf(batch.sums, row, column));
  if (shape.hasFactors)
    scaleNextBlock(batch, row, column);
}

/// Accumulates the sums of a block in registers, over all iterations and the
/// whole depth. Splits `terms`, if it is given, beyond the first step.
void TileDotEmitter::multiply(const Batch &batch, llvm::Value *row,
                              llvm::Value *column, LeftTerms *terms) {
  llvm::Value *number = b.CreateUDiv(column, i64(blockColumns));
  if (!shape.hasRowLimit)
    number = b.CreateAdd(b.CreateMul(number, i64(rowBlocks)),
                         b.CreateUDiv(row, i64(blockRows)));
  llvm::Value *x = leftAt(batch.left, row);
  llvm::Value *y = at(batch.right, column, tiling.columnBytes());
  SmallVector<llvm::Value *> none;
  SmallVectorImpl<llvm::Value *> &known = terms ? terms->known : none;
  emitLoop(b, in.iterations, 1, known, [&](llvm::Value *iteration) {
    llvm::Value *left = x, *right = y;
    if (shape.left.iteration)
      left = at(x, iteration, shape.left.iteration * shape.wordBytes());
    if (shape.right.iteration)
      right = at(y, iteration, shape.right.iteration * shape.wordBytes());
    llvm::Value *share =
        b.CreateAdd(b.CreateMul(number, i64(shape.iterations)), iteration);
    prefetch(batch, row, share);
    emitLoop(b, i64(tiling.depthTiles), 1, known, [&](llvm::Value *k) {
      llvm::Value *place = at(right, k, tiling.rightBytes());
      if (shape.terms > 1)
        multiplyStep(iteration, k, place, terms);
      else
        addProducts(at(left, k, kTileRowBytes), leftTile, leftPitch, place,
                    Loads::Both);
    });
  });
}

void TileDotEmitter::prefetch(const Batch &batch, llvm::Value *row,
                              llvm::Value *share) {
  int64_t blocks = shape.hasRowLimit ? columnBlocks : rowBlocks * columnBlocks;
  auto emit = [&] {
    emitPrefetches(emitter, shape, in, share, blocks * shape.iterations);
  };
  // Later blocks may be left out.
  if (shape.hasRowLimit && !shape.prefetches.empty())
    emitIf(emitter, b.CreateICmpEQ(row, batch.first), emit);
  else
    emit();
}

/// Adds the products of a step of the depth: the tiles at `x`, which are
/// `tile` bytes apart and whose rows are `pitch` bytes apart, and at `y`.
/// Operands that are used once are loaded into as many registers as there are,
/// to have several loads in flight.
void TileDotEmitter::addProducts(llvm::Value *x, llvm::Value *tile,
                                 llvm::Value *pitch, llvm::Value *y,
                                 Loads loads) {
  eachSum([&](int64_t row, int64_t column, int64_t sums) {
    int64_t left = kSumTiles + row % leftTiles;
    int64_t right =
        kSumTiles + leftTiles + column % (kTiles - kSumTiles - leftTiles);
    if (column == 0 && loads != Loads::Right)
      emitTileLoad(emitter, left,
                   b.CreateGEP(b.getInt8Ty(), x, b.CreateMul(i64(row), tile)),
                   pitch);
    if (row == 0 && loads != Loads::Left)
      emitTileLoad(emitter, right, at(y, i64(column), tiling.columnBytes()),
                   i64(tiling.columns * 4));
    emitTileProduct(emitter, tiling.elementBytes, sums, left, right);
  });
}

void TileDotEmitter::setSizes() {
  TileSize sums{tiling.rows, tiling.columns * 4};
  TileSize left{tiling.rows, tiling.depth * tiling.elementBytes};
  TileSize right{tiling.depth / shape.packing.together, tiling.columns * 4};
  SmallVector<TileSize, kTiles> sizes(kSumTiles, sums);
  sizes.append(leftTiles, left);
  sizes.append(kTiles - sizes.size(), right);
  emitTileSizes(emitter, sizes);
}

void emitTileDot(Emitter &emitter, const DotShape &shape,
                 const DotArguments &in) {
  TileDotEmitter(emitter, shape, in).run();
}

} // namespace nereid::cpu
