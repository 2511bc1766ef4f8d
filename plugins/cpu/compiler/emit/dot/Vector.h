// Vector.h - products of tiles in vector registers: the parts of a function.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_DOT_VECTOR_H
#define NEREID_CPU_COMPILER_EMIT_DOT_VECTOR_H

#include "emit/dot/Dot.h"

namespace nereid::cpu {

/// Emits the body of a function for DotKind::Elements or Words.
class VectorDotEmitter {
public:
  VectorDotEmitter(Emitter &emitter, const DotShape &shape,
                   const DotArguments &in);

  void run();

private:
  /// A block of sums, row by row, and where they are in memory.
  struct Sums {
    int64_t vectors; // of a row
    llvm::SmallVector<llvm::Value *> places, values;
    int64_t rows() const { return int64_t(values.size()) / vectors; }
  };

  /// All columns, panel by panel.
  void emitPanels(llvm::Value *x, llvm::Value *y, llvm::Value *c);
  /// An i1: are all columns of the right operand next to each other, as where it
  /// is in place, and no more rows of sums needed than are in registers at once?
  llvm::Value *mayReadRows();
  /// Then, all columns, a few rows of the right operand at a time.
  void emitRows(llvm::Value *x, llvm::Value *y, llvm::Value *c);
  /// The same for the first `rows` rows of the left operand, in panels of
  /// `vectors`.
  void emitRowSpans(int64_t rows, int64_t vectors, llvm::Value *x,
                    llvm::Value *y, llvm::Value *c);

  /// Emits `body(number, row, rows)` in loops over the strips of rows: first
  /// those with one more row.
  void eachStrip(
      llvm::function_ref<void(llvm::Value *, llvm::Value *, int64_t)> body);
  /// One block: loads its sums, accumulates over all iterations and all of k in
  /// registers, stores them. `isFirst`: those above it are left out. `offsets`:
  /// those of its rows, or null.
  void emitBlock(llvm::Value *isFirst, llvm::Value *block, int64_t rows,
                 llvm::Value *x, llvm::Value *y, llvm::Value *c,
                 llvm::Value *offsets);
  /// The rows of sums that are in registers at once, and those that are needed.
  int64_t rowsAtOnce() const { return llvm::divideCeil(shape.rows, strips); }
  llvm::Value *neededRows() {
    return shape.hasRowLimit ? in.rows : i64(shape.rows);
  }
  llvm::Value *numberOf(llvm::Value *strip, llvm::Value *column);

  /// Steps along the depth in one iteration of the innermost loop.
  int64_t unrollOf(int64_t rows, int64_t vectors) const;
  /// The parts of the depth between which prefetches are spread.
  int64_t spansOf(int64_t steps) const;
  void prefetch(llvm::Value *isFirst, llvm::Value *share, int64_t shares);
  /// Asks for the lines of `vectors` vectors at `place`.
  void prefetchLines(llvm::Value *place, int64_t vectors);

  Sums loadSums(llvm::Value *c, int64_t rows, int64_t vectors,
                llvm::Value *offsets);
  void store(const Sums &sums);
  /// The first elements of `rows` rows of the left operand, or only that of the
  /// first if they are at a constant distance.
  llvm::SmallVector<llvm::Value *> linesOf(llvm::Value *x, int64_t rows);
  /// Adds, for one k, a column of the left block times a row of the right one,
  /// `line`. The column is `offset` and then `more` after `lines`.
  void addProducts(llvm::ArrayRef<llvm::Value *> lines, llvm::Value *offset,
                   int64_t more, llvm::Value *line, Sums &sums);
  /// Loads the vectors of one k of the right operand.
  llvm::SmallVector<llvm::Value *> loadLine(llvm::Value *line, int64_t vectors);
  llvm::Value *multiplyAdd(llvm::Value *x, llvm::Value *y, llvm::Value *z);

  llvm::Type *vectorOf(llvm::Type *type);
  llvm::Value *i64(int64_t number) { return b.getInt64(number); }
  llvm::Value *at(llvm::Value *base, llvm::Value *offset) {
    return b.CreateGEP(factor, base, offset);
  }
  llvm::Value *sumAt(llvm::Value *base, llvm::Value *offset) {
    return b.CreateGEP(sum, base, offset);
  }
  llvm::Value *rowAt(llvm::Value *base, llvm::Value *rows) {
    return leftRowAt(b, shape, in, base, rows);
  }
  /// The panel of the right operand that begins with `column`, a multiple of
  /// its columns.
  llvm::Value *panelAt(llvm::Value *base, llvm::Value *column);
  /// So many steps along the depth of the right operand after `base`.
  llvm::Value *stepAt(llvm::Value *base, llvm::Value *steps);

  Emitter &emitter;
  llvm::IRBuilder<> &b;
  const DotShape &shape;
  DotArguments in;
  llvm::Type *sum;
  llvm::Type *factor; // of one step along the depth: an element, or a word
  int64_t columns, depth;
  bool hasWords;
  bool hasFma; // without it, LLVM would call the library for each element
  int64_t lanes, blockVectors;
  int64_t strips; // of rows
  int64_t blocks; // of sums
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_DOT_VECTOR_H
