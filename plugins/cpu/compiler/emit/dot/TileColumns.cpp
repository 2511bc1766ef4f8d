// TileColumns.cpp - few rows of sums in the tile registers of AMX, the columns
// of the right operand in place.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Columns that are contiguous in memory are rows of a left tile: loaded from
// where they are, they are multiplied with a right tile of the few rows, which
// is packed. The sums have a row for each column; in the end they are added to
// the others, transposed. Sixteen columns are read at a time, a page of each,
// which hardware prefetchers follow: on 16 cores of an Emerald Rapids that was
// 1.6 times as fast as 64 columns, and without prefetches another 1.1 times.

#include "emit/CountedLoop.h"
#include "emit/Transpose.h"
#include "emit/dot/FewRows.h"
#include "emit/dot/TileRegisters.h"

using namespace mlir;

namespace nereid::cpu {

/// With so few rows, vectors are faster: nothing is packed.
static constexpr int64_t kVectorRows = 2;
static constexpr int64_t kTileBytes = kTileRows * kTileRowBytes;

namespace {
class TileColumnsEmitter : FewRowsEmitter {
public:
  using FewRowsEmitter::FewRowsEmitter;

  void run() {
    emitFor(kVectorRows, mostRows, [&] { emitAll(); });
  }

private:
  enum Tile { Sums, Columns, Rows };

  void emitAll() {
    step = kTileRowBytes / Emitter::bytesOf(rightType);
    turned = bytesAt(in.rowTiles, i64(kPackedTiles), kTileBytes);
    emitTileSizes(emitter,
                  SmallVector<TileSize>(kTiles, {kTileRows, kTileRowBytes}));
    llvm::Value *steps = b.CreateMul(in.iterations, i64(shape.depth / step));
    emitLoop(b, steps, kPackedTiles, {}, [&](llvm::Value *first) {
      llvm::Value *count =
          emitter.smaller(b.CreateSub(steps, first), i64(kPackedTiles));
      packRows(first, count);
      emitLoop(b, shape.columns, kTileRows,
               [&](llvm::Value *column) { addColumns(column, first, count); });
    });
    emitTileRelease(emitter);
    emitLoop(b, shape.columns, kTileRows,
             [&](llvm::Value *column) { addSums(column); });
  }

  llvm::Value *bytesAt(llvm::Value *base, llvm::Value *count, int64_t bytes) {
    return b.CreateGEP(b.getInt8Ty(), base, b.CreateMul(count, i64(bytes)));
  }

  /// Packs `count` tiles of the rows, from step `first` on: 32 bits of each
  /// row, those of the next ones, and so on.
  void packRows(llvm::Value *first, llvm::Value *count) {
    auto *words = llvm::FixedVectorType::get(b.getInt32Ty(), kTileRows);
    int64_t steps = shape.depth / step; // of an iteration
    emitLoop(b, count, 1, {}, [&](llvm::Value *number) {
      llvm::Value *at = b.CreateAdd(first, number);
      llvm::Value *offset = b.CreateAdd(
          b.CreateMul(b.CreateUDiv(at, i64(steps)), i64(leftIteration)),
          b.CreateMul(b.CreateURem(at, i64(steps)), i64(step)));
      SmallVector<llvm::Value *, kTileRows> vectors;
      for (int64_t row = 0; row < mostRows; ++row)
        vectors.push_back(b.CreateAlignedLoad(words, leftAt(row, offset, 0),
                                              alignOf(leftType)));
      vectors.resize(kTileRows, llvm::Constant::getNullValue(words));
      transposeBlock(b, vectors);
      llvm::Value *place = bytesAt(in.rowTiles, number, kTileBytes);
      for (auto [row, vector] : llvm::enumerate(vectors))
        b.CreateAlignedStore(vector, bytesAt(place, i64(row), kTileRowBytes),
                             llvm::Align(kTileRowBytes));
    });
  }

  /// Adds the products of the packed rows and of columns from `column` on.
  void addColumns(llvm::Value *column, llvm::Value *first, llvm::Value *count) {
    llvm::Value *sums = bytesAt(turned, column, kTileRowBytes);
    llvm::Value *isFirst = b.CreateICmpEQ(first, i64(0));
    emitIf(emitter, isFirst, [&] { emitTileZero(emitter, Sums); });
    emitIf(emitter, b.CreateNot(isFirst),
           [&] { emitTileLoad(emitter, Sums, sums, i64(kTileRowBytes)); });
    llvm::Value *columns =
        bytesAt(lineAt(in.right, column), first, kTileRowBytes);
    emitLoop(b, count, 1, {}, [&](llvm::Value *number) {
      emitTileLoad(emitter, Columns, bytesAt(columns, number, kTileRowBytes),
                   line);
      emitTileLoad(emitter, Rows, bytesAt(in.rowTiles, number, kTileBytes),
                   i64(kTileRowBytes));
      emitTileProduct(emitter, Emitter::bytesOf(rightType), Sums, Columns,
                      Rows);
    });
    emitTileStore(emitter, Sums, sums, i64(kTileRowBytes));
  }

  /// Adds the sums of a tile of columns from `column` on.
  void addSums(llvm::Value *column) {
    auto *type = llvm::FixedVectorType::get(sum, kTileRows);
    SmallVector<llvm::Value *, kTileRows> vectors;
    llvm::Value *place = bytesAt(turned, column, kTileRowBytes);
    for (int64_t row = 0; row < kTileRows; ++row)
      vectors.push_back(
          b.CreateAlignedLoad(type, bytesAt(place, i64(row), kTileRowBytes),
                              llvm::Align(kTileRowBytes)));
    transposeBlock(b, vectors);
    for (int64_t row = 0; row < mostRows; ++row) {
      llvm::Value *to =
          b.CreateGEP(sum, in.sums, plus(column, row * shape.columns));
      llvm::Value *total =
          emitter.inScratch(b.CreateAlignedLoad(type, to, alignOf(sum)));
      total = sum->isFloatingPointTy() ? b.CreateFAdd(total, vectors[row])
                                       : b.CreateAdd(total, vectors[row]);
      emitter.inScratch(b.CreateAlignedStore(total, to, alignOf(sum)));
    }
  }

  int64_t step = 0;              // elements of a row or a column in a tile
  llvm::Value *turned = nullptr; // a row of sums for each column
};
} // namespace

void emitDotByTileColumns(Emitter &emitter, const DotShape &shape,
                          const DotArguments &in, llvm::Value *line,
                          const InPlaceOperand &right) {
  InPlaceOperand few = right;
  few.mostRows = std::min(right.mostRows, kVectorRows);
  emitDotByColumns(emitter, shape, in, line, few);
  if (few.mostRows < right.mostRows)
    TileColumnsEmitter(emitter, shape, in, line, right).run();
}

} // namespace nereid::cpu
