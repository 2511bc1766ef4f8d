// Vector.cpp - products of tiles in vector registers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Register blocking: a block of rows times vectors of sums stays in registers
// for all of k. For each k it needs a few vectors of b, and one broadcast
// element of a for each row. Rows are divided evenly among as few blocks as
// possible, so that their numbers of rows differ by one at most.
//
// With DotKind::Words an element is a word of 32 bits that holds neighbours
// along k: an instruction adds all their products. They are neighbours in
// memory in a row of a, and in b after packing.

#include "emit/CountedLoop.h"
#include "emit/dot/Sums.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
class VectorDotEmitter {
public:
  VectorDotEmitter(Emitter &emitter, const DotShape &shape,
                   const DotArguments &in)
      : emitter(emitter), b(emitter.builder), shape(shape), in(in),
        sums(emitter, shape, in), columns(shape.columns), depth(shape.depth),
        hasWords(shape.kind == DotKind::Words),
        hasFma(emitter.options.cpu.hasFma) {
    sum = convertElementType(shape.sum, emitter.context());
    factor = sum;
    if (hasWords) {
      factor = b.getInt32Ty();
      depth /= infoOf(shape.product).together;
    }
    lanes = shape.block.lanes;
    blockVectors = shape.block.vectors;
    strips = llvm::divideCeil(shape.rows, shape.block.rows);
    blocks = columns / (lanes * blockVectors);
    if (!shape.hasRowLimit)
      blocks *= strips;
  }

  void run() {
    emitLoop(b, shape.batches, 1, [&](llvm::Value *batch) {
      llvm::Value *x = at(in.left, b.CreateMul(batch, i64(shape.left.batch)));
      llvm::Value *y = at(in.right, b.CreateMul(batch, i64(shape.right.batch)));
      llvm::Value *c =
          sumAt(in.sums, b.CreateMul(batch, i64(shape.rows * columns)));
      llvm::Value *offsets = infoOf(shape.product).isRightUnsigned
                                 ? makeRowOffsets(emitter, shape)
                                 : nullptr;
      emitLoop(b, columns, lanes * blockVectors, [&](llvm::Value *column) {
        llvm::Value *panel = at(y, b.CreateMul(column, i64(shape.right.line)));
        eachStrip([&](llvm::Value *strip, llvm::Value *row, int64_t rows) {
          llvm::Value *isFirst = shape.hasFirstRow
                                     ? b.CreateICmpSLE(row, in.firstRow)
                                     : b.CreateICmpEQ(strip, i64(0));
          // They bring the rows that are multiplied next into the cache.
          if (offsets)
            emitIf(emitter, b.CreateICmpEQ(column, i64(0)), [&] {
              emitRowOffsets(emitter, shape, in, x, row, rows, offsets);
            });
          llvm::Value *first =
              b.CreateAdd(b.CreateMul(row, i64(columns)), column);
          SmallVector<llvm::Value *> values = emitBlock(
              isFirst, numberOf(strip, column), rows, x, row, panel,
              sumAt(c, first), offsets ? sumAt(offsets, row) : nullptr);
          sums.store(values, sumAt(c, first), row, column);
        });
      });
    });
  }

private:
  static constexpr int64_t kFewRows = 4;

  /// Steps along the depth in one iteration of the innermost loop. LLVM loads
  /// the right vectors of two steps together, and reorders additions of
  /// integers, which must not spill sums.
  int64_t unrollOf(int64_t rows) const {
    if (shape.product == WordProduct::Vpmaddwd)
      return 1;
    bool fits = (rows + 2) * blockVectors + 1 <
                int64_t(emitter.options.cpu.vectorRegisters);
    return fits && emitter.options.fastPaths.has(FastPath::DotKernel) &&
                   depth % 4 == 0
               ? 4
               : 1;
  }

  /// Emits `body(number, row, rows)` in loops over the strips of rows: first
  /// those with one more row.
  void eachStrip(
      llvm::function_ref<void(llvm::Value *, llvm::Value *, int64_t)> body) {
    int64_t rows = shape.rows / strips, larger = shape.rows % strips;
    auto emitStrips = [&](int64_t first, llvm::Value *skipped,
                          llvm::Value *count, int64_t size) {
      emitLoop(b, count, 1, {}, [&](llvm::Value *index) {
        llvm::Value *strip =
            b.CreateAdd(b.CreateAdd(index, skipped), i64(first));
        llvm::Value *row = b.CreateMul(strip, i64(size));
        if (first)
          row = b.CreateAdd(row, i64(first));
        body(strip, row, size);
      });
    };
    // The strips that have a row that is needed.
    auto emitNeeded = [&](int64_t first, int64_t count, int64_t size) {
      if (!count)
        return;
      if (!shape.hasRowLimit)
        return emitStrips(first, i64(0), i64(count), size);
      llvm::Value *begin = i64(first ? first * (size + 1) : 0);
      llvm::Value *left = b.CreateSub(in.rows, begin);
      emitIf(emitter, b.CreateICmpSGT(left, i64(0)), [&] {
        llvm::Value *needed = emitter.smaller(
            b.CreateUDiv(b.CreateAdd(left, i64(size - 1)), i64(size)),
            i64(count));
        if (!shape.hasFirstRow)
          return emitStrips(first, i64(0), needed, size);
        llvm::Value *before =
            emitter.larger(b.CreateSub(in.firstRow, begin), i64(0));
        llvm::Value *skipped = b.CreateUDiv(before, i64(size));
        emitIf(emitter, b.CreateICmpSGT(needed, skipped), [&] {
          emitStrips(first, skipped, b.CreateSub(needed, skipped), size);
        });
      });
    };
    auto emitAll = [&] {
      emitNeeded(0, larger, rows + 1);
      emitNeeded(larger, strips - larger, rows);
    };
    if (!hasFewRows(rows))
      return emitAll();
    // Without any row no strip is multiplied.
    llvm::Value *areFew =
        b.CreateICmpULT(b.CreateSub(in.rows, i64(1)), i64(kFewRows));
    emitIf(emitter, areFew, [&] { body(i64(0), i64(0), kFewRows); });
    emitIf(emitter, b.CreateNot(areFew), emitAll);
  }

  /// Can fewer rows be needed than `rows`, those of a strip? The rows of a tile
  /// that is as small as a dot's are often padded: to the heads of attention
  /// that share keys, or to the requests of a batch.
  bool hasFewRows(int64_t rows) const {
    constexpr int64_t kMostPadded = 16;
    return shape.hasRowLimit && !shape.hasFirstRow && rows > kFewRows &&
           shape.rows <= kMostPadded;
  }

  llvm::Value *numberOf(llvm::Value *strip, llvm::Value *column) {
    llvm::Value *number = b.CreateUDiv(column, i64(lanes * blockVectors));
    if (shape.hasRowLimit)
      return number;
    return b.CreateAdd(b.CreateMul(number, i64(strips)), strip);
  }

  /// One block: loads its sums, and accumulates over all iterations and all of
  /// k in registers. `begin`: its first row, of those from `x` on. `isFirst`:
  /// those above it are left out. `offsets`: those of its rows, or null.
  SmallVector<llvm::Value *> emitBlock(llvm::Value *isFirst, llvm::Value *block,
                                       int64_t rows, llvm::Value *x,
                                       llvm::Value *begin, llvm::Value *y,
                                       llvm::Value *c, llvm::Value *offsets) {
    llvm::Align align(sum->getScalarSizeInBits() / 8);
    int64_t steps = unrollOf(rows);
    SmallVector<llvm::Value *> lines;
    for (int64_t row = 0; row < (in.row ? rows : 1); ++row)
      lines.push_back(rowAt(x, b.CreateAdd(begin, i64(row))));
    SmallVector<llvm::Value *> values = sums.start(c, begin, rows);
    for (int64_t row = 0; offsets && row < rows; ++row) {
      llvm::Value *offset = b.CreateVectorSplat(
          lanes, b.CreateAlignedLoad(sum, sumAt(offsets, i64(row)), align));
      for (int64_t v = 0; v < blockVectors; ++v) {
        llvm::Value *&value = values[row * blockVectors + v];
        value = b.CreateSub(value, offset);
      }
    }
    int64_t spans = spansOf(steps), span = depth / spans;
    emitLoop(b, in.iterations, 1, values, [&](llvm::Value *iteration) {
      llvm::Value *left = b.CreateMul(iteration, i64(shape.left.iteration));
      llvm::Value *right =
          at(y, b.CreateMul(iteration, i64(shape.right.iteration)));
      emitLoop(b, i64(spans), 1, values, [&](llvm::Value *number) {
        llvm::Value *share =
            b.CreateAdd(b.CreateMul(block, i64(shape.iterations)), iteration);
        share = b.CreateAdd(b.CreateMul(share, i64(spans)), number);
        prefetch(isFirst, share, blocks * shape.iterations * spans);
        llvm::Value *begin = b.CreateMul(number, i64(span));
        emitLoop(b, i64(span), steps, values, [&](llvm::Value *k) {
          k = b.CreateAdd(begin, k);
          llvm::Value *first =
              b.CreateAdd(left, b.CreateMul(k, i64(shape.left.step)));
          for (int64_t step = 0; step < steps; ++step)
            addProducts(lines, first, step * shape.left.step,
                        stepAt(right, b.CreateAdd(k, i64(step))), values);
        });
      });
    });
    return values;
  }

  /// The parts of the depth between which prefetches are spread, each of a
  /// whole number of `steps`: long ones would have them all at once.
  int64_t spansOf(int64_t steps) const {
    constexpr int64_t kShortest = 32;
    int64_t spans = 1;
    while (!shape.prefetches.empty() && depth / spans >= 2 * kShortest &&
           depth % (2 * spans * steps) == 0)
      spans *= 2;
    return spans;
  }

  void prefetch(llvm::Value *isFirst, llvm::Value *share, int64_t shares) {
    auto emit = [&] { emitPrefetches(emitter, shape, in, share, shares); };
    // Later strips may be left out.
    if (shape.hasRowLimit && !shape.prefetches.empty())
      emitIf(emitter, isFirst, emit);
    else
      emit();
  }

  /// Adds, for one k, a column of the left block times a row of the right one,
  /// `line`. The column is `offset` and then `more` after `lines`, each row's
  /// begin, or that of the first if they are at a constant distance.
  void addProducts(ArrayRef<llvm::Value *> lines, llvm::Value *offset,
                   int64_t more, llvm::Value *line,
                   MutableArrayRef<llvm::Value *> sums) {
    // Words that are in memory are aligned to elements only.
    llvm::Align align(in.row ? shape.factorBytes() : shape.wordBytes());
    SmallVector<llvm::Value *> right = loadLine(line);
    int64_t rows = sums.size() / blockVectors;
    for (int64_t row = 0; row < rows; ++row) {
      int64_t constant = in.row ? 0 : row * shape.left.line;
      llvm::LoadInst *element = b.CreateAlignedLoad(
          factor, at(at(lines[in.row ? row : 0], offset), i64(constant + more)),
          align);
      llvm::Value *left = in.row ? element : emitter.inScratch(element);
      if (lanes > 1)
        left = b.CreateVectorSplat(lanes, left);
      for (int64_t v = 0; v < blockVectors; ++v) {
        llvm::Value *&total = sums[row * blockVectors + v];
        total = multiplyAdd(left, right[v], total);
      }
    }
  }

  /// Loads the vectors of one k of the right operand.
  SmallVector<llvm::Value *> loadLine(llvm::Value *line) {
    llvm::Align align(factor->getScalarSizeInBits() / 8);
    SmallVector<llvm::Value *> vectors;
    for (int64_t v = 0; v < blockVectors; ++v) {
      vectors.push_back(emitter.inScratch(b.CreateAlignedLoad(
          vectorOf(factor), at(line, i64(v * lanes)), align)));
    }
    return vectors;
  }

  llvm::Value *multiplyAdd(llvm::Value *x, llvm::Value *y, llvm::Value *z) {
    if (hasWords)
      return emitWordProduct(b, shape.product, x, y, z);
    if (x->getType()->isFPOrFPVectorTy())
      return hasFma ? b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()},
                                        {x, y, z})
                    : b.CreateFAdd(b.CreateFMul(x, y), z);
    return b.CreateAdd(b.CreateMul(x, y), z);
  }

  llvm::Type *vectorOf(llvm::Type *type) {
    return lanes > 1 ? llvm::FixedVectorType::get(type, lanes) : type;
  }
  llvm::Value *i64(int64_t number) { return b.getInt64(number); }
  llvm::Value *at(llvm::Value *base, llvm::Value *offset) {
    return b.CreateGEP(factor, base, offset);
  }
  llvm::Value *rowAt(llvm::Value *base, llvm::Value *rows) {
    return leftRowAt(b, shape, in, base, rows);
  }
  /// So many steps along the depth of the right operand after `base`.
  llvm::Value *stepAt(llvm::Value *base, llvm::Value *steps) {
    return at(base, b.CreateMul(steps, i64(shape.right.step)));
  }
  llvm::Value *sumAt(llvm::Value *base, llvm::Value *offset) {
    return b.CreateGEP(sum, base, offset);
  }

  Emitter &emitter;
  llvm::IRBuilder<> &b;
  const DotShape &shape;
  DotArguments in;
  SumBlocks sums;
  llvm::Type *sum;
  llvm::Type *factor; // of one step along the depth: an element, or a word
  int64_t columns, depth;
  bool hasWords;
  bool hasFma; // without it, LLVM would call the library for each element
  int64_t lanes, blockVectors;
  int64_t strips; // of rows
  int64_t blocks; // of sums
};
} // namespace

void emitVectorDot(Emitter &emitter, const DotShape &shape,
                   const DotArguments &in) {
  VectorDotEmitter(emitter, shape, in).run();
}

} // namespace nereid::cpu
