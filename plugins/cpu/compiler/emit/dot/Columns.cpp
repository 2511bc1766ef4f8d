// Columns.cpp - products with a right operand whose columns are in place, for few
// rows of sums.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Lanes of a vector hold neighbours along the depth: each sum is that of the
// products of a row and a column, lane by lane, and of the lanes in the end.

#include "emit/CountedLoop.h"
#include "emit/dot/Dot.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
class ColumnDotEmitter {
public:
  ColumnDotEmitter(Emitter &emitter, const DotShape &shape,
                   const DotArguments &in)
      : emitter(emitter), b(emitter.builder), shape(shape), in(in),
        lanes(shape.block.lanes),
        element(convertElementType(shape.sum, emitter.context())),
        vector(llvm::FixedVectorType::get(element, lanes)),
        align(shape.factorBytes()) {
    assert(shape.left.step == 1 && "the left operand is row-major");
  }

  void run(int64_t mostRows) {
    auto when = [&](llvm::CmpInst::Predicate predicate, int64_t rows) {
      llvm::Value *isIt = b.CreateICmp(predicate, in.rows, b.getInt64(1));
      emitIf(emitter, isIt, [&] { emitColumns(rows); });
    };
    when(llvm::CmpInst::ICMP_EQ, 1);
    when(llvm::CmpInst::ICMP_SGT, mostRows);
  }

private:
  /// All columns, for `rows` rows.
  void emitColumns(int64_t rows) {
    emitLoop(b, shape.columns, kColumnsAtOnce, [&](llvm::Value *column) {
      SmallVector<llvm::Value *> sums(rows * kColumnsAtOnce,
                                      llvm::Constant::getNullValue(vector));
      emitLoop(b, in.iterations, 1, sums, [&](llvm::Value *iteration) {
        emitLoop(b, b.getInt64(shape.depth), lanes, sums, [&](llvm::Value *k) {
          addProducts(iteration, k, column, sums);
        });
      });
      for (auto [i, sum] : llvm::enumerate(sums))
        addTo(i / kColumnsAtOnce, plus(column, i % kColumnsAtOnce), sum);
    });
  }

  void addProducts(llvm::Value *iteration, llvm::Value *k, llvm::Value *column,
                   MutableArrayRef<llvm::Value *> sums) {
    SmallVector<llvm::Value *, 4> left;
    int64_t rows = sums.size() / kColumnsAtOnce;
    llvm::Value *offset = b.CreateAdd(
        b.CreateMul(iteration, b.getInt64(shape.left.iteration)), k);
    for (int64_t row = 0; row < rows; ++row)
      left.push_back(
          load(leftRowAt(b, shape, in, in.left, b.getInt64(row)), offset));
    llvm::Value *step =
        b.CreateAdd(b.CreateMul(iteration, b.getInt64(shape.depth)), k);
    for (int64_t i = 0; i < kColumnsAtOnce; ++i) {
      llvm::Value *line =
          b.CreateGEP(b.getInt8Ty(), in.right,
                      b.CreateMul(plus(column, i), in.step));
      llvm::Value *right = load(line, step);
      if (emitter.options.fastPaths.has(FastPath::DotPrefetch))
        emitPrefetch(b, b.CreateGEP(element, line,
                                    plus(step, kAheadBytes / bytes())));
      for (int64_t row = 0; row < rows; ++row) {
        llvm::Value *&sum = sums[row * kColumnsAtOnce + i];
        sum = multiplyAdd(left[row], right, sum);
      }
    }
  }

  /// Adds the lanes of `value` to a sum.
  void addTo(int64_t row, llvm::Value *column, llvm::Value *value) {
    llvm::Value *place = b.CreateGEP(
        element, in.sums, plus(column, row * shape.columns));
    llvm::Value *sum =
        emitter.inScratch(b.CreateAlignedLoad(element, place, align));
    if (element->isFloatingPointTy()) {
      llvm::IRBuilder<>::FastMathFlagGuard guard(b);
      llvm::FastMathFlags flags;
      flags.setAllowReassoc();
      b.setFastMathFlags(flags);
      sum = b.CreateFAddReduce(sum, value);
    } else {
      sum = b.CreateAdd(sum, b.CreateAddReduce(value));
    }
    emitter.inScratch(b.CreateAlignedStore(sum, place, align));
  }

  llvm::Value *multiplyAdd(llvm::Value *x, llvm::Value *y, llvm::Value *z) {
    if (!element->isFloatingPointTy())
      return b.CreateAdd(b.CreateMul(x, y), z);
    return emitter.options.cpu.hasFma
               ? b.CreateIntrinsic(llvm::Intrinsic::fma, {vector}, {x, y, z})
               : b.CreateFAdd(b.CreateFMul(x, y), z);
  }

  /// Loads a vector `offset` elements after `line`.
  llvm::Value *load(llvm::Value *line, llvm::Value *offset) {
    return b.CreateAlignedLoad(vector, b.CreateGEP(element, line, offset),
                               align);
  }
  llvm::Value *plus(llvm::Value *value, int64_t number) {
    return b.CreateAdd(value, b.getInt64(number));
  }
  int64_t bytes() const { return shape.factorBytes(); }

  static constexpr int64_t kAheadBytes = 512;

  Emitter &emitter;
  llvm::IRBuilder<> &b;
  const DotShape &shape;
  DotArguments in;
  int64_t lanes;
  llvm::Type *element;
  llvm::Type *vector;
  llvm::Align align;
};
} // namespace

void emitColumnDot(Emitter &emitter, const DotShape &shape,
                   const DotArguments &in, int64_t mostRows) {
  ColumnDotEmitter(emitter, shape, in).run(mostRows);
}

} // namespace nereid::cpu
