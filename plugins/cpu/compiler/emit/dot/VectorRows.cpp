// VectorRows.cpp - products with a right operand that is in place, for few rows
// of sums.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Each element of the right operand is read once, and its rows may be pages
// apart. What hides the latency of memory is how many lines are asked for at
// once: by the processor, as far as it looks ahead, and by prefetches. So the
// fewer rows of sums there are, the more vectors of a row are multiplied at
// once, and panels take turns after a few rows, before their lines are evicted:
// rows at multiples of a page compete for few sets of a cache.

#include "emit/CountedLoop.h"
#include "emit/dot/Vector.h"

using namespace mlir;

namespace nereid::cpu {

static constexpr int64_t kSpan = 16;  // rows, until the next panel
static constexpr int64_t kAhead = 32; // rows to those that are prefetched
static constexpr int64_t kLine = 64;  // bytes
static constexpr int64_t kWide = 4;   // vectors at once, with few rows of sums
static constexpr int64_t kFewRows = 4;

llvm::Value *VectorDotEmitter::mayReadRows() {
  llvm::Value *isInRows = b.CreateICmpEQ(
      in.panel, i64(lanes * blockVectors * shape.wordBytes()));
  return b.CreateAnd(isInRows,
                     b.CreateICmpSLE(neededRows(), i64(rowsAtOnce())));
}

void VectorDotEmitter::emitRows(llvm::Value *x, llvm::Value *y,
                                llvm::Value *c) {
  int64_t most = rowsAtOnce();
  llvm::Value *needed = neededRows();
  int64_t wide = std::min(kWide, columns / lanes);
  // With the vectors of a row and one element.
  int64_t fits = int64_t(emitter.options.cpu.vectorRegisters) / wide - 2;
  int64_t done = 0;
  for (int64_t rows : {int64_t(1), std::min({kFewRows, fits, most}), most}) {
    if (rows <= done)
      continue;
    bool isWide = rows <= fits && columns % (lanes * wide) == 0;
    llvm::Value *isIt = b.CreateAnd(b.CreateICmpSGT(needed, i64(done)),
                                    b.CreateICmpSLE(needed, i64(rows)));
    emitIf(emitter, isIt, [&] {
      emitRowSpans(rows, isWide ? wide : blockVectors, x, y, c);
    });
    done = rows;
  }
}

void VectorDotEmitter::emitRowSpans(int64_t rows, int64_t vectors,
                                    llvm::Value *x, llvm::Value *y,
                                    llvm::Value *c) {
  int64_t steps = unrollOf(rows, vectors);
  int64_t span = depth % kSpan == 0 ? kSpan : depth;
  bool prefetches = emitter.options.fastPaths.has(FastPath::DotPrefetch);
  SmallVector<llvm::Value *> lines = linesOf(x, rows);
  emitLoop(b, in.iterations, 1, {}, [&](llvm::Value *iteration) {
    llvm::Value *left = b.CreateMul(iteration, i64(shape.left.iteration));
    llvm::Value *right = stepAt(y, b.CreateMul(iteration, i64(depth)));
    emitLoop(b, depth, span, [&](llvm::Value *begin) {
      emitLoop(b, columns, lanes * vectors, [&](llvm::Value *column) {
        llvm::Value *panel = at(right, column);
        Sums sums = loadSums(sumAt(c, column), rows, vectors, nullptr);
        emitLoop(b, i64(span), steps, sums.values, [&](llvm::Value *k) {
          k = b.CreateAdd(begin, k);
          llvm::Value *first =
              b.CreateAdd(left, b.CreateMul(k, i64(shape.left.step)));
          for (int64_t step = 0; step < steps; ++step) {
            llvm::Value *line = stepAt(panel, b.CreateAdd(k, i64(step)));
            if (prefetches)
              prefetchLines(stepAt(line, i64(kAhead)), vectors);
            addProducts(lines, first, step * shape.left.step, line, sums);
          }
        });
        store(sums);
      });
    });
  });
}

void VectorDotEmitter::prefetchLines(llvm::Value *place, int64_t vectors) {
  int64_t bytes = vectors * lanes * shape.wordBytes();
  for (int64_t byte = 0; byte < bytes; byte += kLine)
    emitPrefetch(b, b.CreateGEP(b.getInt8Ty(), place, i64(byte)));
}

} // namespace nereid::cpu
