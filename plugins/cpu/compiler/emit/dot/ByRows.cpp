// ByRows.cpp - few rows of sums, the rows of the right operand in place.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Each element of the right operand is read once, and its rows may be pages
// apart. What hides the latency of memory is how many lines are asked for at
// once: by the processor, as far as it looks ahead, and by prefetches. So the
// fewer rows of sums there are, the more of a row is multiplied at once, and
// panels of columns take turns after a few rows, before their lines are
// evicted: rows at multiples of a page compete for few sets of a cache.

#include "emit/CountedLoop.h"
#include "emit/dot/FewRows.h"

using namespace mlir;

namespace nereid::cpu {

static constexpr int64_t kFewRows = 4;   // of sums, with wide panels
static constexpr int64_t kMostSpan = 16; // rows until the next panel
/// Of one row of sums, for several programs: how many bytes of a row at once,
/// and from how many programs on nothing is prefetched.
static constexpr int64_t kJointBytes = 256, kManyPrograms = 8;

namespace {
class RowsEmitter : FewRowsEmitter {
public:
  using FewRowsEmitter::FewRowsEmitter;

  void run() {
    int64_t registers = emitter.options.cpu.vectorRegisters;
    // Half of the registers are for the sums of one row.
    auto panel = [&](int64_t bytes) {
      return std::min({shape.columns / lanes, registers / 4,
                       bytes / (lanes * Emitter::bytesOf(rightType))});
    };
    int64_t vectors = panel(emitter.options.cpu.lineBytes);
    ahead = b.CreateMul(line, i64(emitter.options.cpu.rowsAhead));
    emitFor(0, 1, [&] { emitRow(vectors, panel(kJointBytes)); });
    // With the vectors of a row and one element.
    int64_t atOnce = mostRows / rowGroups;
    // Tiles of many rows seldom need few: their code is not worth compiling.
    bool isTall = shape.rows > mostRows;
    for (int64_t done = 1; done < mostRows; vectors /= 2) {
      if (isTall && vectors > 2)
        continue;
      int64_t fits = registers / vectors - 2;
      int64_t most = vectors > 2     ? kFewRows
                     : atOnce > fits ? 2 * kFewRows
                                     : atOnce;
      int64_t rows = std::min({fits, most, atOnce});
      if (rows <= done)
        continue;
      emitFor(done, rows, [&] { emitSpans(rows, vectors); });
      if (rows == atOnce && rowGroups > 1)
        return emitFor(rows, mostRows,
                       [&] { emitSpans(rows, vectors, rowGroups); });
      done = rows;
    }
  }

private:
  /// One row of sums. Hardware prefetchers follow rows of many programs.
  void emitRow(int64_t vectors, int64_t jointVectors) {
    if (!in.programs)
      return emitSpans(1, vectors);
    llvm::Value *areMany = b.CreateICmpUGE(in.programs, i64(kManyPrograms));
    emitIf(emitter, areMany, [&] {
      bool mayPrefetch = std::exchange(prefetches, false);
      emitSpans(1, jointVectors);
      prefetches = mayPrefetch;
    });
    emitIf(emitter, b.CreateNot(areMany), [&] { emitSpans(1, vectors); });
  }

  /// The first `rows` rows of sums, or `groups` times as many, in panels of
  /// `vectors`.
  void emitSpans(int64_t rows, int64_t vectors, int64_t groups = 1) {
    // Rows until the next panel: more where more sums are read and written, or
    // more bytes of each row.
    bool isShort =
        rows == 1 ||
        (vectors <= 2 && Emitter::bytesOf(rightType) == 2 && groups == 1);
    int64_t span = std::min(isShort ? kMostSpan / 2 : kMostSpan,
                            shape.depth & -shape.depth);
    emitLoop(b, in.iterations, 1, {}, [&](llvm::Value *iteration) {
      llvm::Value *left = b.CreateMul(iteration, i64(leftIteration));
      llvm::Value *right =
          lineAt(in.right, b.CreateMul(iteration, i64(shape.depth)));
      emitLoop(b, shape.depth, span, [&](llvm::Value *begin) {
        llvm::Value *first =
            b.CreateAdd(left, b.CreateMul(begin, i64(leftStep)));
        llvm::Value *row = lineAt(right, begin);
        if (leftType != sum && leftStep == 1)
          widenLeft(first, span, groups * rows);
        forEachProgram(row, [&](llvm::Value *columns, llvm::Value *sums) {
          emitLoop(b, shape.columns, lanes * vectors, [&](llvm::Value *column) {
            llvm::Value *place = b.CreateGEP(rightType, columns, column);
            llvm::Value *sumPlace = b.CreateGEP(sum, sums, column);
            for (firstRow = 0; firstRow < groups * rows; firstRow += rows)
              emitSpan(span, first, place, rows, vectors, sumPlace);
          });
        });
      });
    });
  }

  /// Runs what `emit` emits for the columns and the sums of each program;
  /// `right` are the first columns.
  void
  forEachProgram(llvm::Value *right,
                 llvm::function_ref<void(llvm::Value *, llvm::Value *)> emit) {
    if (!in.programs)
      return emit(right, in.sums);
    emitLoop(b, in.programs, 1, {}, [&](llvm::Value *program) {
      emit(b.CreateGEP(rightType, right,
                       b.CreateMul(program, i64(shape.columns))),
           b.CreateGEP(b.getInt8Ty(), in.sums,
                       b.CreateMul(program, i64(jointSumBytes(emitter)))));
    });
  }

  /// Writes `span` columns of the left operand, from `first` on, as they are
  /// multiplied: they are then read once for each vector of the right one.
  void widenLeft(llvm::Value *first, int64_t span, int64_t rows) {
    if (!wideLeft) {
      llvm::Function *function = b.GetInsertBlock()->getParent();
      llvm::BasicBlock &entry = function->getEntryBlock();
      wideLeft =
          llvm::IRBuilder<>(&*entry.getFirstInsertionPt())
              .CreateAlloca(llvm::ArrayType::get(sum, mostRows * kMostSpan),
                            nullptr, "left");
      wideLeft->setAlignment(llvm::Align(kCacheLine));
    }
    for (int64_t row = 0; row < rows; ++row)
      b.CreateAlignedStore(load(leftAt(row, first, 0), leftType, span),
                           b.CreateGEP(sum, wideLeft, i64(row * span)),
                           alignOf(sum));
  }

  /// Adds the products of `span` columns of the left operand, from `first` on,
  /// and rows of the right one, from `right` on, to those at `sumPlace`.
  void emitSpan(int64_t span, llvm::Value *first, llvm::Value *right,
                int64_t rows, int64_t vectors, llvm::Value *sumPlace) {
    constexpr int64_t kUnrolled = 4;
    int64_t steps = span % kUnrolled == 0 ? kUnrolled : 1;
    SmallVector<llvm::Value *> places = placesOf(rows, vectors, sumPlace);
    SmallVector<llvm::Value *> sums;
    for (llvm::Value *place : places)
      sums.push_back(emitter.inScratch(
          b.CreateAlignedLoad(vectorOf(sum), place, alignOf(sum))));
    emitLoop(b, i64(span), steps, sums, [&](llvm::Value *k) {
      llvm::Value *left = b.CreateAdd(first, b.CreateMul(k, i64(leftStep)));
      llvm::Value *place = lineAt(right, k);
      for (int64_t step = 0; step < steps; ++step) {
        addRow(place, rows, sums, [&](int64_t row) {
          if (!wideLeft)
            return load(leftAt(row, left, step * leftStep), leftType, 1);
          return load(b.CreateGEP(sum, wideLeft, plus(k, row * span + step)),
                      sum, 1);
        });
        place = b.CreateGEP(b.getInt8Ty(), place, line);
      }
    });
    for (auto [place, value] : llvm::zip(places, sums))
      emitter.inScratch(b.CreateAlignedStore(value, place, alignOf(sum)));
  }

  SmallVector<llvm::Value *> placesOf(int64_t rows, int64_t vectors,
                                      llvm::Value *first) {
    SmallVector<llvm::Value *> places;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t v = 0; v < vectors; ++v)
        places.push_back(b.CreateGEP(
            sum, first, i64((firstRow + row) * shape.columns + v * lanes)));
    return places;
  }

  /// Adds the products of a column of the left operand, of which `leftOf`
  /// returns the element of a row, and a part of a row of the right one.
  void addRow(llvm::Value *right, int64_t rows,
              MutableArrayRef<llvm::Value *> sums,
              llvm::function_ref<llvm::Value *(int64_t)> leftOf) {
    int64_t vectors = sums.size() / rows;
    llvm::Value *next = b.CreateGEP(b.getInt8Ty(), right, ahead);
    if (prefetches && firstRow == 0)
      for (int64_t byte = 0,
                   end = vectors * lanes * Emitter::bytesOf(rightType);
           byte < end; byte += kCacheLine)
        emitPrefetch(b, b.CreateGEP(b.getInt8Ty(), next, i64(byte)));
    SmallVector<llvm::Value *, 8> values;
    for (int64_t v = 0; v < vectors; ++v)
      values.push_back(load(b.CreateGEP(rightType, right, i64(v * lanes)),
                            rightType, lanes));
    for (int64_t row = 0; row < rows; ++row) {
      llvm::Value *left = b.CreateVectorSplat(lanes, leftOf(firstRow + row));
      for (int64_t v = 0; v < vectors; ++v) {
        llvm::Value *&total = sums[row * vectors + v];
        total = multiplyAdd(left, values[v], total);
      }
    }
  }

  llvm::Value *ahead = nullptr; // bytes from a line to that which it prefetches
  int64_t firstRow = 0;         // of a group
  /// Columns of a left operand that is converted, row by row; or null.
  llvm::AllocaInst *wideLeft = nullptr;
};
} // namespace

void emitDotByRows(Emitter &emitter, const DotShape &shape,
                   const DotArguments &in, llvm::Value *line,
                   const InPlaceOperand &right) {
  RowsEmitter(emitter, shape, in, line, right).run();
}

} // namespace nereid::cpu
