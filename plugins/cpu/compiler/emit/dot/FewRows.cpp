// FewRows.cpp - products with a right operand that is in place, for few rows of
// sums.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Each element of the right operand is read once, and its rows may be pages
// apart. What hides the latency of memory is how many lines are asked for at
// once: by the processor, as far as it looks ahead, and by prefetches. So the
// fewer rows of sums there are, the more of a row is multiplied at once, and
// panels of columns take turns after a few rows, before their lines are
// evicted: rows at multiples of a page compete for few sets of a cache.
//
// By columns, lanes of a vector hold neighbours along the depth: each sum is
// that of the products of a row and a column, lane by lane, and of the lanes in
// the end.
//
// bf16 and f16 are multiplied as f32, which is exact, and needs no packing.

#include "emit/CountedLoop.h"
#include "emit/dot/Dot.h"

using namespace mlir;

namespace nereid::cpu {

static constexpr int64_t kNext = 512;  // bytes ahead in a column
static constexpr int64_t kFewRows = 4; // of sums, with wide panels

namespace {
class FewRowsEmitter {
public:
  FewRowsEmitter(Emitter &emitter, const DotShape &shape,
                 const DotArguments &in, llvm::Value *line,
                 const InPlaceOperand &right)
      : emitter(emitter), b(emitter.builder), shape(shape), in(in), line(line),
        mostRows(right.mostRows),
        leftType(convertElementType(shape.factor, emitter.context())),
        rightType(emitter.memoryType(elementOf(right.load))),
        sum(convertElementType(shape.sum, emitter.context())),
        lanes(std::min<int64_t>(shape.columns, emitter.options.cpu.vectorBits /
                                                   sum->getScalarSizeInBits())),
        prefetches(emitter.options.fastPaths.has(FastPath::DotPrefetch)) {
    // In elements.
    int64_t word = shape.packing.together;
    leftStep = shape.kind == DotKind::Elements ? shape.left.step : 1;
    leftLine = shape.left.line * word;
    leftIteration = shape.left.iteration * word;
  }

  void emitByRows() {
    int64_t registers = emitter.options.cpu.vectorRegisters;
    // Half of the registers are for the sums of one row.
    int64_t vectors = std::min({shape.columns / lanes, registers / 4,
                                emitter.options.cpu.lineBytes /
                                    (lanes * Emitter::bytesOf(rightType))});
    emitFor(0, 1, [&] { emitSpans(1, vectors); });
    // With the vectors of a row and one element.
    for (int64_t done = 1; done < mostRows; vectors /= 2) {
      int64_t fits = registers / vectors - 2;
      int64_t rows =
          vectors > 2 ? std::min({fits, kFewRows, mostRows}) : mostRows;
      if (rows <= done)
        continue;
      emitFor(done, rows, [&] { emitSpans(rows, vectors); });
      done = rows;
    }
  }

  void emitByColumns() {
    lanes = emitter.options.cpu.vectorBits / sum->getScalarSizeInBits();
    int64_t registers = emitter.options.cpu.vectorRegisters, done = 0;
    for (int64_t rows : {int64_t(1), mostRows / 2, mostRows}) {
      if (rows <= done)
        continue;
      int64_t columns = rows * 4 + rows < registers ? 4 : 2;
      emitFor(done, rows, [&] { emitColumns(rows, columns); });
      done = rows;
    }
  }

private:
  static Type elementOf(tt::LoadOp load) {
    return getElementTypeOrSelf(load.getResult());
  }

  /// Runs what `emit` emits if more rows are needed than `above`, and no more
  /// than `most`.
  void emitFor(int64_t above, int64_t most, llvm::function_ref<void()> emit) {
    llvm::Value *isIt = b.CreateAnd(b.CreateICmpSGT(in.rows, i64(above)),
                                    b.CreateICmpSLE(in.rows, i64(most)));
    emitIf(emitter, isIt, emit);
  }

  // ------------------------------------------------------------ by rows

  /// The first `rows` rows of sums, in panels of `vectors`.
  void emitSpans(int64_t rows, int64_t vectors) {
    // Rows until the next panel: more where more sums are read and written.
    int64_t span = rows == 1 ? 8 : 16;
    if (shape.depth % span != 0)
      span = shape.depth;
    constexpr int64_t kUnrolled = 4;
    int64_t steps = span % kUnrolled == 0 ? kUnrolled : 1;
    emitLoop(b, in.iterations, 1, {}, [&](llvm::Value *iteration) {
      llvm::Value *left = b.CreateMul(iteration, i64(leftIteration));
      llvm::Value *right =
          lineAt(in.right, b.CreateMul(iteration, i64(shape.depth)));
      emitLoop(b, shape.depth, span, [&](llvm::Value *begin) {
        emitLoop(b, shape.columns, lanes * vectors, [&](llvm::Value *column) {
          SmallVector<llvm::Value *> places = placesOf(rows, vectors, column);
          SmallVector<llvm::Value *> sums;
          for (llvm::Value *place : places)
            sums.push_back(emitter.inScratch(
                b.CreateAlignedLoad(vectorOf(sum), place, alignOf(sum))));
          emitLoop(b, i64(span), steps, sums, [&](llvm::Value *k) {
            k = b.CreateAdd(begin, k);
            llvm::Value *first =
                b.CreateAdd(left, b.CreateMul(k, i64(leftStep)));
            llvm::Value *place =
                b.CreateGEP(rightType, lineAt(right, k), column);
            for (int64_t step = 0; step < steps; ++step) {
              addRow(first, step * leftStep, place, rows, sums);
              place = b.CreateGEP(b.getInt8Ty(), place, line);
            }
          });
          for (auto [place, value] : llvm::zip(places, sums))
            emitter.inScratch(b.CreateAlignedStore(value, place, alignOf(sum)));
        });
      });
    });
  }

  SmallVector<llvm::Value *> placesOf(int64_t rows, int64_t vectors,
                                      llvm::Value *column) {
    SmallVector<llvm::Value *> places;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t v = 0; v < vectors; ++v)
        places.push_back(b.CreateGEP(
            sum, in.sums, plus(column, row * shape.columns + v * lanes)));
    return places;
  }

  /// Adds the products of a column of the left operand, `offset` and `more`
  /// after the first, and a part of a row of the right one.
  void addRow(llvm::Value *offset, int64_t more, llvm::Value *right,
              int64_t rows, MutableArrayRef<llvm::Value *> sums) {
    int64_t vectors = sums.size() / rows;
    llvm::Value *ahead = lineAt(right, i64(emitter.options.cpu.rowsAhead));
    if (prefetches)
      for (int64_t byte = 0, end = vectors * lanes * Emitter::bytesOf(rightType);
           byte < end; byte += kCacheLine)
        emitPrefetch(b, b.CreateGEP(b.getInt8Ty(), ahead, i64(byte)));
    SmallVector<llvm::Value *, 8> values;
    for (int64_t v = 0; v < vectors; ++v)
      values.push_back(load(b.CreateGEP(rightType, right, i64(v * lanes)),
                            rightType, lanes));
    for (int64_t row = 0; row < rows; ++row) {
      llvm::Value *left = b.CreateVectorSplat(
          lanes, load(leftAt(row, offset, more), leftType, 1));
      for (int64_t v = 0; v < vectors; ++v) {
        llvm::Value *&total = sums[row * vectors + v];
        total = multiplyAdd(left, values[v], total);
      }
    }
  }

  // ------------------------------------------------------------ by columns

  /// All columns, so many at once, for the first `rows` rows of sums.
  void emitColumns(int64_t rows, int64_t columns) {
    emitLoop(b, shape.columns, columns, [&](llvm::Value *column) {
      SmallVector<llvm::Value *> sums(
          rows * columns, llvm::Constant::getNullValue(vectorOf(sum)));
      emitLoop(b, in.iterations, 1, sums, [&](llvm::Value *iteration) {
        llvm::Value *left = b.CreateMul(iteration, i64(leftIteration));
        llvm::Value *right = b.CreateMul(iteration, i64(shape.depth));
        emitLoop(b, i64(shape.depth), lanes, sums, [&](llvm::Value *k) {
          addColumns(rows, b.CreateAdd(left, k), column, b.CreateAdd(right, k),
                     sums);
        });
      });
      for (auto [i, value] : llvm::enumerate(sums))
        addTo(i / columns, plus(column, i % columns), value);
    });
  }

  /// Adds the products of a part of each row, `offset` after its first element,
  /// and of some columns, `step` after theirs.
  void addColumns(int64_t rows, llvm::Value *offset, llvm::Value *column,
                  llvm::Value *step, MutableArrayRef<llvm::Value *> sums) {
    SmallVector<llvm::Value *, 4> left;
    int64_t columns = sums.size() / rows;
    for (int64_t row = 0; row < rows; ++row)
      left.push_back(load(leftAt(row, offset, 0), leftType, lanes));
    for (int64_t i = 0; i < columns; ++i) {
      llvm::Value *place =
          b.CreateGEP(rightType, lineAt(in.right, plus(column, i)), step);
      if (prefetches)
        emitPrefetch(b, b.CreateGEP(b.getInt8Ty(), place, i64(kNext)));
      llvm::Value *right = load(place, rightType, lanes);
      for (auto [row, value] : llvm::enumerate(left)) {
        llvm::Value *&total = sums[row * columns + i];
        total = multiplyAdd(value, right, total);
      }
    }
  }

  /// Adds the lanes of `value` to a sum.
  void addTo(int64_t row, llvm::Value *column, llvm::Value *value) {
    llvm::Value *place =
        b.CreateGEP(sum, in.sums, plus(column, row * shape.columns));
    llvm::Value *total =
        emitter.inScratch(b.CreateAlignedLoad(sum, place, alignOf(sum)));
    if (sum->isFloatingPointTy()) {
      llvm::IRBuilder<>::FastMathFlagGuard guard(b);
      llvm::FastMathFlags flags;
      flags.setAllowReassoc();
      b.setFastMathFlags(flags);
      total = b.CreateFAddReduce(total, value);
    } else {
      total = b.CreateAdd(total, b.CreateAddReduce(value));
    }
    emitter.inScratch(b.CreateAlignedStore(total, place, alignOf(sum)));
  }

  // ------------------------------------------------------------ both

  llvm::Value *multiplyAdd(llvm::Value *x, llvm::Value *y, llvm::Value *z) {
    if (!sum->isFloatingPointTy())
      return b.CreateAdd(b.CreateMul(x, y), z);
    return emitter.options.cpu.hasFma
               ? b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()},
                                   {x, y, z})
               : b.CreateFAdd(b.CreateFMul(x, y), z);
  }

  /// Loads `count` elements of `type`, as the type of sums.
  llvm::Value *load(llvm::Value *place, llvm::Type *type, int64_t count) {
    auto several = [&](llvm::Type *one) -> llvm::Type * {
      return count > 1 ? llvm::FixedVectorType::get(one, count) : one;
    };
    llvm::Align align = alignOf(type);
    if (!type->isBFloatTy()) {
      llvm::Value *value = b.CreateAlignedLoad(several(type), place, align);
      return type == sum ? value : b.CreateFPExt(value, several(sum));
    }
    llvm::Value *bits =
        b.CreateAlignedLoad(several(b.getInt16Ty()), place, align);
    bits = b.CreateShl(b.CreateZExt(bits, several(b.getInt32Ty())), 16);
    return b.CreateBitCast(bits, several(sum));
  }

  /// The element of the left operand `offset` and `more` after the first of
  /// `row`.
  llvm::Value *leftAt(int64_t row, llvm::Value *offset, int64_t more) {
    llvm::Value *first = in.left;
    if (in.row)
      first = b.CreateGEP(b.getInt8Ty(), first, b.CreateMul(i64(row), in.row));
    else
      more += row * leftLine;
    return b.CreateGEP(leftType, b.CreateGEP(leftType, first, offset),
                       i64(more));
  }
  /// So many rows or columns of the right operand after `base`.
  llvm::Value *lineAt(llvm::Value *base, llvm::Value *count) {
    return b.CreateGEP(b.getInt8Ty(), base, b.CreateMul(count, line));
  }
  llvm::Type *vectorOf(llvm::Type *type) {
    return llvm::FixedVectorType::get(type, lanes);
  }
  static llvm::Align alignOf(llvm::Type *type) {
    return llvm::Align(type->getScalarSizeInBits() / 8);
  }
  llvm::Value *i64(int64_t number) { return b.getInt64(number); }
  llvm::Value *plus(llvm::Value *value, int64_t number) {
    return b.CreateAdd(value, i64(number));
  }

  Emitter &emitter;
  llvm::IRBuilder<> &b;
  const DotShape &shape;
  DotArguments in;
  llvm::Value *line;
  int64_t mostRows;
  llvm::Type *leftType, *rightType, *sum; // of elements
  int64_t lanes;
  bool prefetches;
  int64_t leftStep, leftLine, leftIteration;
};
} // namespace

void emitFewRowsDot(Emitter &emitter, const DotShape &shape,
                    const DotArguments &in, llvm::Value *line,
                    const InPlaceOperand &right) {
  FewRowsEmitter function(emitter, shape, in, line, right);
  if (right.isByColumns)
    function.emitByColumns();
  else
    function.emitByRows();
}

} // namespace nereid::cpu
