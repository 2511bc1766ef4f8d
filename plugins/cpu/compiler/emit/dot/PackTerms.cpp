// PackTerms.cpp - packs right operands that are split into sums of bf16.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/CountedLoop.h"
#include "emit/Transpose.h"
#include "emit/dot/Terms.h"
#include "emit/dot/TileDot.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
class TermPacker {
public:
  TermPacker(Emitter &emitter, const DotShape &shape, llvm::Value *from,
             llvm::Value *row, llvm::Value *to)
      : emitter(emitter), b(emitter.builder), shape(shape), tiling(shape),
        from(from), row(row), to(to),
        element(convertElementType(shape.factor, emitter.context())) {}

  void run() {
    llvm::Value *areComplete =
        shape.isRightTransposed ? packColumns() : packRows();
    llvm::Value *place = at(to, i64(1), shape.batches * tiling.batchBytes());
    emitter.inScratch(b.CreateAlignedStore(
        b.CreateZExt(areComplete, b.getInt32Ty()), place, llvm::Align(4)));
    emitIf(emitter, b.CreateNot(areComplete), [&] { packWhole(); });
  }

private:
  /// From rows along the depth: lanes are columns.
  llvm::Value *packRows() {
    int64_t lanes = tiling.columns;
    auto *vector = llvm::FixedVectorType::get(element, lanes);
    TermSplitter splitter(emitter, tiling.terms, lanes);
    SmallVector<llvm::Value *> known = splitter.start(2);
    eachTile(known, [&](llvm::Value *source, llvm::Value *target) {
      emitLoop(b, i64(tiling.depth), 2, known, [&](llvm::Value *k) {
        llvm::Value *line = at(target, k, tiling.columns * 2);
        emitLoop(b, i64(tiling.columnTiles), 1, known, [&](llvm::Value *tile) {
          SmallVector<llvm::Value *, 2> rows[2];
          for (int64_t i = 0; i < 2; ++i) {
            llvm::Value *place = plus(plus(source, times(plus(k, i), row)),
                                      times(tile, i64(lanes)));
            rows[i] = splitter.split(load(place, vector), known[i]);
          }
          store(rows[0], rows[1], at(line, tile, tiling.columnBytes()));
        });
      });
    });
    return splitter.areComplete(known);
  }

  /// From columns along the depth, in squares of as many pairs of numbers as a
  /// vector has.
  llvm::Value *packColumns() {
    int64_t size = std::min(tiling.columns, tiling.depth / 2);
    auto *pairs = llvm::FixedVectorType::get(b.getInt32Ty(), size);
    TermSplitter splitter(emitter, tiling.terms, size);
    SmallVector<llvm::Value *> known = splitter.start(2);
    eachTile(known, [&](llvm::Value *source, llvm::Value *target) {
      emitLoop(b, i64(shape.columns), size, known, [&](llvm::Value *column) {
        SmallVector<llvm::Value *> square;
        for (int64_t i = 0; i < size; ++i)
          square.push_back(
              load(plus(source, times(plus(column, i), row)), pairs));
        transposeBlock(b, square);
        for (int64_t i = 0; i < size; ++i)
          store(splitter.split(half(square[i], 0), known[0]),
                splitter.split(half(square[i], 16), known[1]),
                at(wordAt(target, column), i64(i), tiling.columns * 4));
      });
    });
    return splitter.areComplete(known);
  }

  /// The numbers themselves, which need not be fast.
  void packWhole() {
    SmallVector<llvm::Value *> none;
    llvm::Type *bits = b.getInt16Ty();
    eachTile(none, [&](llvm::Value *source, llvm::Value *target) {
      emitLoop(b, tiling.depth, 1, [&](llvm::Value *k) {
        emitLoop(b, shape.columns, 1, [&](llvm::Value *column) {
          llvm::Value *place = shape.isRightTransposed
                                   ? plus(plus(source, times(column, row)), k)
                                   : plus(plus(source, times(k, row)), column);
          llvm::Value *to = at(wordAt(target, column), b.CreateUDiv(k, i64(2)),
                               tiling.columns * 4);
          emitter.inScratch(b.CreateAlignedStore(
              load(place, bits), at(to, b.CreateURem(k, i64(2)), 2),
              llvm::Align(2)));
        });
      });
    });
  }

  /// Of a pair of numbers, in each word the lower or the upper one.
  llvm::Value *half(llvm::Value *pairs, uint64_t from) {
    auto lanes =
        cast<llvm::FixedVectorType>(pairs->getType())->getNumElements();
    pairs = b.CreateTrunc(b.CreateLShr(pairs, from),
                          llvm::FixedVectorType::get(b.getInt16Ty(), lanes));
    return b.CreateBitCast(pairs, llvm::FixedVectorType::get(element, lanes));
  }

  /// Where the first word of `column` is, of the tiles at `target`.
  llvm::Value *wordAt(llvm::Value *target, llvm::Value *column) {
    llvm::Value *tile = b.CreateUDiv(column, i64(tiling.columns));
    llvm::Value *lane = b.CreateURem(column, i64(tiling.columns));
    return at(at(target, tile, tiling.columnBytes()), lane, 4);
  }

  /// Visits all steps along the depth that have a tile of each column: `body`
  /// takes the number of their first element, and where their first tile is.
  void eachTile(SmallVectorImpl<llvm::Value *> &known,
                llvm::function_ref<void(llvm::Value *, llvm::Value *)> body) {
    emitLoop(b, i64(shape.batches), 1, known, [&](llvm::Value *batch) {
      llvm::Value *first = times(batch, i64(shape.depth * shape.columns));
      llvm::Value *target = at(to, batch, tiling.batchBytes());
      emitLoop(b, i64(tiling.depthTiles), 1, known, [&](llvm::Value *tile) {
        llvm::Value *k = times(tile, i64(tiling.depth));
        if (!shape.isRightTransposed)
          k = times(k, row);
        body(plus(first, k), at(target, tile, tiling.rightBytes()));
      });
    });
  }

  void store(ArrayRef<llvm::Value *> low, ArrayRef<llvm::Value *> high,
             llvm::Value *place) {
    for (auto [term, pair] : llvm::enumerate(llvm::zip(low, high)))
      emitter.inScratch(b.CreateAlignedStore(
          upperHalves(b, std::get<0>(pair), std::get<1>(pair)),
          at(place, i64(term), tiling.rightTermBytes()), llvm::Align(4)));
  }

  /// From scratch or the program's memory; `place` counts elements.
  llvm::Value *load(llvm::Value *place, llvm::Type *type) {
    return b.CreateAlignedLoad(type, b.CreateGEP(element, from, place),
                               align());
  }
  llvm::Align align() const { return llvm::Align(shape.factorBytes()); }
  llvm::Value *i64(int64_t number) { return b.getInt64(number); }
  llvm::Value *plus(llvm::Value *x, llvm::Value *y) {
    return b.CreateAdd(x, y);
  }
  llvm::Value *plus(llvm::Value *x, int64_t y) { return plus(x, i64(y)); }
  llvm::Value *times(llvm::Value *x, llvm::Value *y) {
    return b.CreateMul(x, y);
  }
  llvm::Value *at(llvm::Value *base, llvm::Value *index, int64_t bytes) {
    return b.CreateGEP(b.getInt8Ty(), base, b.CreateMul(index, i64(bytes)));
  }

  Emitter &emitter;
  llvm::IRBuilder<> &b;
  const DotShape &shape;
  Tiling tiling;
  llvm::Value *from, *row, *to;
  llvm::Type *element;
};
} // namespace

void emitPackTerms(Emitter &emitter, const DotShape &shape, llvm::Value *from,
                   llvm::Value *row, llvm::Value *to) {
  TermPacker(emitter, shape, from, row, to).run();
}

} // namespace nereid::cpu
