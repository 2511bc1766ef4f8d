// Tiles.cpp - products of tiles in the tile registers of AMX.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A tile register holds up to 16 rows of 64 bytes. One instruction adds to 16
// by 16 sums of 32 bits the products of a row-major left tile and a right tile
// whose rows hold 32 bits of each column: two bf16 or four i8 that are
// neighbours along the depth. Register blocking: four registers are sums, two
// by two, so that each loaded operand is used twice and the latency is hidden.

#include "emit/CountedLoop.h"
#include "emit/dot/Sums.h"
#include "emit/dot/TileRegisters.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
constexpr int64_t kSumTiles = 4;

/// How the operands of a dot are cut into tiles.
struct Tiling {
  int64_t elementBytes;
  int64_t rows, columns, depth; // of one tile
  int64_t rowTiles, columnTiles, depthTiles;

  explicit Tiling(const DotShape &shape)
      : elementBytes(shape.factorBytes()),
        rows(std::min(shape.rows, kTileRows)), columns(shape.packing.columns),
        depth(shape.packing.depth), rowTiles(shape.rows / rows),
        columnTiles(shape.columns / columns), depthTiles(shape.depth / depth) {}

  int64_t rightBytes() const { return depth * columns * elementBytes; }
};

class TileDotEmitter {
public:
  TileDotEmitter(Emitter &emitter, const DotShape &shape,
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

  void run() {
    int64_t leftBytes = shape.left.batch * shape.wordBytes();
    leftPitch = in.row ? in.row : i64(shape.left.line * shape.wordBytes());
    int64_t rightBytes = shape.depth * shape.columns * tiling.elementBytes;
    setSizes();
    emitLoop(b, shape.batches, 1, [&](llvm::Value *batch) {
      llvm::Value *x = at(in.left, batch, leftBytes);
      llvm::Value *y = at(in.right, batch, rightBytes);
      llvm::Value *c = at(in.sums, batch, shape.rows * shape.columns * 4);
      llvm::Value *rows = rowTiles();
      if (shape.hasFactors)
        scaleBlock(c, i64(0), i64(0));
      // A column of tiles of the right operand stays in the L1 cache.
      emitLoop(b, tiling.columnTiles, blockColumns, [&](llvm::Value *column) {
        emitLoop(b, rows, blockRows, {}, [&](llvm::Value *row) {
          llvm::Value *number = b.CreateUDiv(column, i64(blockColumns));
          if (!shape.hasRowLimit)
            number = b.CreateAdd(b.CreateMul(number, i64(rowBlocks)),
                                 b.CreateUDiv(row, i64(blockRows)));
          llvm::Value *sums = placeOf(c, row, column);
          block(number, row, rowAt(x, row),
                at(y, column, tiling.depthTiles * tiling.rightBytes()), sums,
                [&] { scaleNextBlock(c, row, rows, column); });
          if (shape.store)
            storeBlock(sums, b.CreateMul(row, i64(tiling.rows)),
                       b.CreateMul(column, i64(tiling.columns)));
          else
            writeTiles(sums, i64(sumPitch()));
        });
      });
    });
    emitTileRelease(emitter);
  }

private:
  /// Bytes from one row to the next.
  int64_t sumPitch() const { return shape.columns * 4; }

  /// Tiles with rows that are needed; one if there are none.
  llvm::Value *rowTiles() {
    if (!shape.hasRowLimit)
      return i64(tiling.rowTiles);
    llvm::Value *rows = emitter.larger(in.rows, i64(1));
    rows = b.CreateAdd(rows, i64(tiling.rows - 1));
    return emitter.smaller(b.CreateUDiv(rows, i64(tiling.rows)),
                           i64(tiling.rowTiles));
  }

  /// Multiplies the sums of a block, those in `c` from tiles `row` and `column`
  /// on, by the factors of their rows.
  void scaleBlock(llvm::Value *c, llvm::Value *row, llvm::Value *column) {
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
        llvm::Value *sums = emitter.inScratch(
            b.CreateAlignedLoad(vector, place, llvm::Align(4)));
        emitter.inScratch(b.CreateAlignedStore(b.CreateFMul(sums, factor),
                                               place, llvm::Align(4)));
      }
    });
  }

  /// Scales the block after that at `row`, of `rows`, and `column`, if there is
  /// one: while a block is multiplied, since tiles are loaded late from where
  /// vectors were just stored.
  void scaleNextBlock(llvm::Value *c, llvm::Value *row, llvm::Value *rows,
                      llvm::Value *column) {
    llvm::Value *nextRow = b.CreateAdd(row, i64(blockRows));
    llvm::Value *isLast = b.CreateICmpSGE(nextRow, rows);
    nextRow = b.CreateSelect(isLast, i64(0), nextRow);
    llvm::Value *nextColumn =
        b.CreateSelect(isLast, b.CreateAdd(column, i64(blockColumns)), column);
    emitIf(emitter, b.CreateICmpSLT(nextColumn, i64(tiling.columnTiles)),
           [&] { scaleBlock(c, nextRow, nextColumn); });
  }

  /// One block, from tile `row` on: loads its sums, does `then`, and
  /// accumulates over all iterations and the whole depth in registers.
  void block(llvm::Value *number, llvm::Value *row, llvm::Value *x,
             llvm::Value *y, llvm::Value *c, llvm::function_ref<void()> then) {
    startSums(c);
    if (shape.hasFactors)
      then();
    emitLoop(b, in.iterations, 1, {}, [&](llvm::Value *iteration) {
      llvm::Value *left = x, *right = y;
      if (shape.left.iteration)
        left = at(x, iteration, shape.left.iteration * shape.wordBytes());
      if (shape.right.iteration)
        right = at(y, iteration, shape.right.iteration * shape.wordBytes());
      llvm::Value *share =
          b.CreateAdd(b.CreateMul(number, i64(shape.iterations)), iteration);
      prefetch(row, share);
      emitLoop(b, tiling.depthTiles, 1, [&](llvm::Value *k) {
        addProducts(at(left, k, kTileRowBytes),
                    at(right, k, tiling.rightBytes()));
      });
    });
  }

  void prefetch(llvm::Value *row, llvm::Value *share) {
    int64_t blocks =
        shape.hasRowLimit ? columnBlocks : rowBlocks * columnBlocks;
    auto emit = [&] {
      emitPrefetches(emitter, shape, in, share, blocks * shape.iterations);
    };
    // Later blocks may be left out.
    if (shape.hasRowLimit && !shape.prefetches.empty())
      emitIf(emitter, b.CreateICmpEQ(row, i64(0)), emit);
    else
      emit();
  }

  /// Stores the tiles of a block to rows that are `pitch` bytes apart.
  void writeTiles(llvm::Value *first, llvm::Value *pitch) {
    eachSum([&](int64_t row, int64_t column, int64_t tile) {
      llvm::Value *place =
          b.CreateGEP(b.getInt8Ty(), at(first, i64(column), tiling.columns * 4),
                      b.CreateMul(pitch, i64(row * tiling.rows)));
      emitTileStore(emitter, tile, place, pitch);
    });
  }

  /// Stores a block that begins at `row` and `column` as the last product of a
  /// loop does; `sums`: its place in scratch.
  void storeBlock(llvm::Value *sums, llvm::Value *row, llvm::Value *column) {
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
  void storeRows(llvm::Value *from, llvm::Value *to) {
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

  void startSums(llvm::Value *c) {
    auto clear = [&] {
      eachSum(
          [&](int64_t, int64_t, int64_t tile) { emitTileZero(emitter, tile); });
    };
    auto load = [&] {
      eachSum([&](int64_t row, int64_t column, int64_t tile) {
        emitTileLoad(emitter, tile, sumPlace(c, row, column), i64(sumPitch()));
      });
    };
    llvm::Value *isZero =
        in.isFirst ? in.isFirst : b.getInt1(shape.startsAtZero);
    emitIf(emitter, isZero, clear);
    emitIf(emitter, b.CreateNot(isZero), load);
  }

  /// Operands that are used once are loaded into as many registers as there
  /// are, to have several loads in flight.
  void addProducts(llvm::Value *x, llvm::Value *y) {
    eachSum([&](int64_t row, int64_t column, int64_t tile) {
      int64_t left = kSumTiles + row % leftTiles;
      int64_t right =
          kSumTiles + leftTiles + column % (kTiles - kSumTiles - leftTiles);
      if (column == 0)
        emitTileLoad(emitter, left, rowAt(x, i64(row)), leftPitch);
      if (row == 0)
        emitTileLoad(
            emitter, right,
            at(y, i64(column), tiling.depthTiles * tiling.rightBytes()),
            i64(tiling.columns * 4));
      emitTileProduct(emitter, tiling.elementBytes, tile, left, right);
    });
  }

  void eachSum(llvm::function_ref<void(int64_t, int64_t, int64_t)> visit) {
    for (int64_t row = 0; row < blockRows; ++row)
      for (int64_t column = 0; column < blockColumns; ++column)
        visit(row, column, row * blockColumns + column);
  }

  /// Where the sums of tile `row`, `column` are in `c`.
  llvm::Value *placeOf(llvm::Value *c, llvm::Value *row, llvm::Value *column) {
    return at(at(c, row, tiling.rows * sumPitch()), column, tiling.columns * 4);
  }

  llvm::Value *sumPlace(llvm::Value *c, int64_t row, int64_t column) {
    return at(c, i64(1),
              row * tiling.rows * sumPitch() + column * tiling.columns * 4);
  }

  void setSizes() {
    TileSize sums{tiling.rows, tiling.columns * 4};
    TileSize left{tiling.rows, tiling.depth * tiling.elementBytes};
    TileSize right{tiling.depth / shape.packing.together, tiling.columns * 4};
    SmallVector<TileSize, kTiles> sizes(kSumTiles, sums);
    sizes.append(leftTiles, left);
    sizes.append(kTiles - sizes.size(), right);
    emitTileSizes(emitter, sizes);
  }

  llvm::Value *i64(int64_t number) { return b.getInt64(number); }
  /// So many tiles of the left operand below `base`.
  llvm::Value *rowAt(llvm::Value *base, llvm::Value *tiles) {
    return b.CreateGEP(
        b.getInt8Ty(), base,
        b.CreateMul(b.CreateMul(tiles, i64(tiling.rows)), leftPitch));
  }
  llvm::Value *at(llvm::Value *base, llvm::Value *index, int64_t bytes) {
    return b.CreateGEP(b.getInt8Ty(), base, b.CreateMul(index, i64(bytes)));
  }

  Emitter &emitter;
  llvm::IRBuilder<> &b;
  const DotShape &shape;
  DotArguments in;
  Tiling tiling;
  llvm::Value *leftPitch = nullptr; // bytes from one row to the next
  int64_t blockRows, blockColumns;  // tiles of sums that are in registers
  int64_t leftTiles;                // registers for the left operand
  int64_t rowBlocks, columnBlocks;
};
} // namespace

void emitTileDot(Emitter &emitter, const DotShape &shape,
                 const DotArguments &in) {
  TileDotEmitter(emitter, shape, in).run();
}

} // namespace nereid::cpu
