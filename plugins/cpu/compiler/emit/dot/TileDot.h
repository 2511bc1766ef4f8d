// TileDot.h - products of tiles in the tile registers of AMX.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// A tile register holds up to 16 rows of 64 bytes. One instruction adds to 16
// by 16 sums of 32 bits the products of a row-major left tile and a right tile
// whose rows hold 32 bits of each column: two bf16 or four i8 that are
// neighbours along the depth. Register blocking: four registers are sums, two
// by two, so that each loaded operand is used twice and the latency is hidden.

#ifndef NEREID_CPU_COMPILER_EMIT_DOT_TILEDOT_H
#define NEREID_CPU_COMPILER_EMIT_DOT_TILEDOT_H

#include "emit/dot/Terms.h"
#include "emit/dot/TileRegisters.h"

namespace nereid::cpu {

/// How the operands of a dot are cut into tiles. Of an operand that is split
/// (Terms.h), the tiles of the terms, which are as wide as the element, are
/// next to each other.
struct Tiling {
  int64_t elementBytes;
  int64_t rows, columns, depth; // of one tile
  int64_t rowTiles, columnTiles, depthTiles;
  int64_t terms;

  explicit Tiling(const DotShape &shape);

  /// Of a term in a tile of either side, of all terms there, of all tiles of
  /// some columns, and of the right operand.
  int64_t leftTermBytes() const { return rows * depth * elementBytes; }
  int64_t rightTermBytes() const { return depth * columns * elementBytes; }
  int64_t leftBytes() const { return terms * leftTermBytes(); }
  int64_t rightBytes() const { return terms * rightTermBytes(); }
  int64_t columnBytes() const { return depthTiles * rightBytes(); }
  int64_t batchBytes() const { return columnTiles * columnBytes(); }
  /// Of the terms of a tile of rows, for all iterations.
  int64_t termRowBytes(const DotShape &shape) const {
    int64_t iterations = shape.left.iteration ? shape.iterations : 1;
    return iterations * depthTiles * leftBytes();
  }
};

/// Emits the body of a function that multiplies.
class TileDotEmitter {
public:
  TileDotEmitter(Emitter &emitter, const DotShape &shape,
                 const DotArguments &in);
  void run();

private:
  static constexpr int64_t kSumTiles = 4;

  /// Operands and sums of a batch.
  struct Batch {
    llvm::Value *left, *right, *sums;
    llvm::Value *first, *end; // tiles with rows that are needed
  };
  void setSizes();
  void limitRows(Batch &batch);
  void startBlock(const Batch &batch, llvm::Value *row, llvm::Value *column);
  struct LeftTerms;
  void multiply(const Batch &batch, llvm::Value *row, llvm::Value *column,
                LeftTerms *terms);
  enum class Loads { Both, Left, Right }; // the others are in registers
  void addProducts(llvm::Value *x, llvm::Value *tile, llvm::Value *pitch,
                   llvm::Value *y, Loads loads);
  void prefetch(const Batch &batch, llvm::Value *row, llvm::Value *share);

  // TileSums.cpp
  void scaleBlock(llvm::Value *c, llvm::Value *row, llvm::Value *column);
  void scaleNextBlock(const Batch &batch, llvm::Value *row,
                      llvm::Value *column);
  void startSums(llvm::Value *c);
  void loadSums(llvm::Value *c);
  void endSums(const Batch &batch, llvm::Value *row, llvm::Value *column);
  void storeBlock(llvm::Value *sums, llvm::Value *row, llvm::Value *column);
  void storeRows(llvm::Value *from, llvm::Value *to);
  void writeTiles(llvm::Value *first, llvm::Value *pitch);
  llvm::Value *isZero() const;

  // TileTerms.cpp
  /// A left operand that is being split: the first row of a block, and what is
  /// known of it.
  struct LeftTerms {
    llvm::Value *first;
    llvm::SmallVector<llvm::Value *> known;
  };
  /// A tile of the depth in an iteration, and its number; null: the first.
  struct Step {
    llvm::Value *iteration = nullptr, *k = nullptr, *number = nullptr;
  };
  void runByRows(const Batch &batch);
  llvm::Value *isRightComplete();
  void splitRow(TermSplitter &splitter, LeftTerms &terms, const Step &step,
                int64_t number);
  void multiplyStep(llvm::Value *iteration, llvm::Value *k, llvm::Value *right,
                    LeftTerms *terms);
  void addProductsOfTerms(llvm::Value *x, llvm::Value *y,
                          llvm::function_ref<void(int64_t, int64_t)> then);
  void multiplyByVectors(const Batch &batch, llvm::Value *row,
                         llvm::Value *column);
  int64_t termLanes() const { return std::min<int64_t>(tiling.depth, 16); }

  /// Emits a loop over the tiles at which a block of rows begins.
  void eachRow(const Batch &batch,
               llvm::function_ref<void(llvm::Value *)> body);
  void eachSum(llvm::function_ref<void(int64_t, int64_t, int64_t)> visit) {
    for (int64_t row = 0; row < blockRows; ++row)
      for (int64_t column = 0; column < blockColumns; ++column)
        visit(row, column, row * blockColumns + column);
  }

  /// Bytes from one row of the sums in scratch to the next.
  int64_t sumPitch() const { return shape.columns * 4; }
  /// Where the sums of tile `row`, `column` are in `c`.
  llvm::Value *placeOf(llvm::Value *c, llvm::Value *row, llvm::Value *column) {
    return at(at(c, row, tiling.rows * sumPitch()), column, tiling.columns * 4);
  }
  llvm::Value *i64(int64_t number) { return b.getInt64(number); }
  /// So many tiles of the left operand below `base`.
  llvm::Value *leftAt(llvm::Value *base, llvm::Value *tiles) {
    return b.CreateGEP(b.getInt8Ty(), base, b.CreateMul(tiles, leftTile));
  }
  llvm::Value *at(llvm::Value *base, llvm::Value *index, int64_t bytes) {
    return b.CreateGEP(b.getInt8Ty(), base, b.CreateMul(index, i64(bytes)));
  }

  Emitter &emitter;
  llvm::IRBuilder<> &b;
  const DotShape &shape;
  DotArguments in;
  Tiling tiling;
  // Of the left operand: bytes from one row to the next, and from one tile.
  llvm::Value *leftPitch = nullptr, *leftTile = nullptr;
  int64_t blockRows, blockColumns; // tiles of sums that are in registers
  int64_t leftTiles;               // registers for the left operand
  int64_t rowBlocks, columnBlocks;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_DOT_TILEDOT_H
