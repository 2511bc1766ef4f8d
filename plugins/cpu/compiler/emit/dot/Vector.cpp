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

#include "emit/dot/Vector.h"

#include "emit/CountedLoop.h"

using namespace mlir;

namespace nereid::cpu {

VectorDotEmitter::VectorDotEmitter(Emitter &emitter, const DotShape &shape,
                                   const DotArguments &in)
    : emitter(emitter), b(emitter.builder), shape(shape), in(in),
      columns(shape.columns), depth(shape.depth),
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

void VectorDotEmitter::run() {
  emitLoop(b, shape.batches, 1, [&](llvm::Value *batch) {
    llvm::Value *x = at(in.left, b.CreateMul(batch, i64(shape.left.batch)));
    llvm::Value *y = at(in.right, b.CreateMul(batch, i64(shape.right.batch)));
    llvm::Value *c =
        sumAt(in.sums, b.CreateMul(batch, i64(shape.rows * columns)));
    if (!shape.isRightInPlace)
      return emitPanels(x, y, c);
    llvm::Value *isByRows = mayReadRows();
    emitIf(emitter, isByRows, [&] { emitRows(x, y, c); });
    emitIf(emitter, b.CreateNot(isByRows), [&] { emitPanels(x, y, c); });
  });
}

void VectorDotEmitter::emitPanels(llvm::Value *x, llvm::Value *y,
                                  llvm::Value *c) {
  llvm::Value *offsets = infoOf(shape.product).isRightUnsigned
                             ? emitRowOffsets(emitter, shape, in, x)
                             : nullptr;
  emitLoop(b, columns, lanes * blockVectors, [&](llvm::Value *column) {
    llvm::Value *panel = panelAt(y, column);
    eachStrip([&](llvm::Value *strip, llvm::Value *row, int64_t rows) {
      llvm::Value *isFirst = shape.hasFirstRow
                                 ? b.CreateICmpSLE(row, in.firstRow)
                                 : b.CreateICmpEQ(strip, i64(0));
      llvm::Value *first = b.CreateAdd(b.CreateMul(row, i64(columns)), column);
      emitBlock(isFirst, numberOf(strip, column), rows, rowAt(x, row), panel,
                sumAt(c, first), offsets ? sumAt(offsets, row) : nullptr);
    });
  });
}

// LLVM loads the right vectors of two steps together, and reorders additions of
// integers, which must not spill sums.
int64_t VectorDotEmitter::unrollOf(int64_t rows, int64_t vectors) const {
  if (shape.product == WordProduct::Vpmaddwd)
    return 1;
  bool fits = (rows + 2) * vectors + 1 <
              int64_t(emitter.options.cpu.vectorRegisters);
  return fits && emitter.options.fastPaths.has(FastPath::DotKernel) &&
                 depth % 4 == 0
             ? 4
             : 1;
}

void VectorDotEmitter::eachStrip(
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
  emitNeeded(0, larger, rows + 1);
  emitNeeded(larger, strips - larger, rows);
}

llvm::Value *VectorDotEmitter::numberOf(llvm::Value *strip, llvm::Value *column) {
  llvm::Value *number = b.CreateUDiv(column, i64(lanes * blockVectors));
  if (shape.hasRowLimit)
    return number;
  return b.CreateAdd(b.CreateMul(number, i64(strips)), strip);
}

void VectorDotEmitter::emitBlock(llvm::Value *isFirst, llvm::Value *block,
                                 int64_t rows, llvm::Value *x, llvm::Value *y,
                                 llvm::Value *c, llvm::Value *offsets) {
  int64_t steps = unrollOf(rows, blockVectors);
  SmallVector<llvm::Value *> lines = linesOf(x, rows);
  Sums sums = loadSums(c, rows, blockVectors, offsets);
  int64_t spans = spansOf(steps), span = depth / spans;
  emitLoop(b, in.iterations, 1, sums.values, [&](llvm::Value *iteration) {
    llvm::Value *left = b.CreateMul(iteration, i64(shape.left.iteration));
    llvm::Value *right =
        in.step ? stepAt(y, b.CreateMul(iteration, i64(depth)))
                : at(y, b.CreateMul(iteration, i64(shape.right.iteration)));
    emitLoop(b, i64(spans), 1, sums.values, [&](llvm::Value *number) {
      llvm::Value *share =
          b.CreateAdd(b.CreateMul(block, i64(shape.iterations)), iteration);
      share = b.CreateAdd(b.CreateMul(share, i64(spans)), number);
      prefetch(isFirst, share, blocks * shape.iterations * spans);
      llvm::Value *begin = b.CreateMul(number, i64(span));
      emitLoop(b, i64(span), steps, sums.values, [&](llvm::Value *k) {
        k = b.CreateAdd(begin, k);
        llvm::Value *first =
            b.CreateAdd(left, b.CreateMul(k, i64(shape.left.step)));
        for (int64_t step = 0; step < steps; ++step)
          addProducts(lines, first, step * shape.left.step,
                      stepAt(right, b.CreateAdd(k, i64(step))), sums);
      });
    });
  });
  store(sums);
}

// Each part is a whole number of `steps`: long ones would have all prefetches
// at once.
int64_t VectorDotEmitter::spansOf(int64_t steps) const {
  constexpr int64_t kShortest = 32;
  int64_t spans = 1;
  while (!shape.prefetches.empty() && depth / spans >= 2 * kShortest &&
         depth % (2 * spans * steps) == 0)
    spans *= 2;
  return spans;
}

void VectorDotEmitter::prefetch(llvm::Value *isFirst, llvm::Value *share,
                                int64_t shares) {
  auto emit = [&] { emitPrefetches(emitter, shape, in, share, shares); };
  // Later strips may be left out.
  if (shape.hasRowLimit && !shape.prefetches.empty())
    emitIf(emitter, isFirst, emit);
  else
    emit();
}

void emitVectorDot(Emitter &emitter, const DotShape &shape,
                   const DotArguments &in) {
  VectorDotEmitter(emitter, shape, in).run();
}

} // namespace nereid::cpu
