// ByColumns.cpp - few rows of sums, the columns of the right operand in place.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Lanes of a vector hold neighbours along the depth: each sum is that of the
// products of a row and a column, lane by lane, and of the lanes in the end.

#include "emit/CountedLoop.h"
#include "emit/dot/FewRows.h"

using namespace mlir;

namespace nereid::cpu {

static constexpr int64_t kNext = 2048; // bytes ahead in a column

namespace {
class ColumnsEmitter : FewRowsEmitter {
public:
  using FewRowsEmitter::FewRowsEmitter;

  void run() {
    lanes = emitter.options.cpu.vectorBits / sum->getScalarSizeInBits();
    int64_t registers = emitter.options.cpu.vectorRegisters, done = 0;
    for (int64_t rows : {int64_t(1), mostRows / 2, mostRows}) {
      if (rows <= done)
        continue;
      int64_t columns = rows == 1 ? 8 : rows * 4 + rows < registers ? 4 : 2;
      emitFor(done, rows, [&] { emitColumns(rows, columns); });
      done = rows;
    }
  }

private:
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
};
} // namespace

void emitDotByColumns(Emitter &emitter, const DotShape &shape,
                      const DotArguments &in, llvm::Value *line,
                      const InPlaceOperand &right) {
  ColumnsEmitter(emitter, shape, in, line, right).run();
}

} // namespace nereid::cpu
