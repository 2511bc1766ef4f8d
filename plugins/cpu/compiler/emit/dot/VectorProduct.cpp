// VectorProduct.cpp - products of numbers whose terms may not be multiplied.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/CountedLoop.h"
#include "emit/dot/Terms.h"
#include "emit/dot/TileDot.h"

using namespace mlir;

namespace nereid::cpu {

namespace {
/// Writes the function: its lanes are columns of the right operand, which is
/// packed, those of the left one are read where they are.
class VectorProductEmitter {
public:
  VectorProductEmitter(Emitter &emitter, const DotShape &shape,
                       llvm::Function *function)
      : emitter(emitter), b(emitter.builder), shape(shape), tiling(shape),
        element(convertElementType(shape.factor, emitter.context())),
        floats(llvm::FixedVectorType::get(b.getFloatTy(), tiling.columns)),
        words(llvm::FixedVectorType::get(b.getInt32Ty(), tiling.columns)),
        left(function->getArg(0)), pitch(function->getArg(1)),
        right(function->getArg(2)), complete(function->getArg(3)),
        sums(function->getArg(4)), iterations(function->getArg(5)) {}

  void run(const VectorProduct &product) {
    emitLoop(b, iterations, 1, {}, [&](llvm::Value *iteration) {
      llvm::Value *next = b.CreateMul(
          iteration, i64(shape.right.iteration * shape.wordBytes()));
      llvm::Value *x =
          at(left, iteration, shape.left.iteration * shape.wordBytes());
      llvm::Value *y = plus(right, next);
      llvm::Value *isSplit = b.CreateIsNotNull(emitter.inScratch(
          b.CreateAlignedLoad(b.getInt32Ty(), plus(complete, next), align())));
      emitIf(emitter, isSplit,
             [&] { addBlock(product, x, y, /*isSplit=*/true); });
      emitIf(emitter, b.CreateNot(isSplit),
             [&] { addBlock(product, x, y, /*isSplit=*/false); });
    });
  }

private:
  static constexpr int64_t kRows = 8; // at once

  void addBlock(const VectorProduct &product, llvm::Value *x, llvm::Value *y,
                bool isSplit) {
    emitLoop(b, product.columnTiles, 1, [&](llvm::Value *tile) {
      llvm::Value *column = at(y, tile, tiling.columnBytes());
      emitLoop(b, product.rows, kRows, [&](llvm::Value *row) {
        llvm::Value *first =
            at(at(sums, row, shape.sumRowBytes()), tile, tiling.columns * 4);
        llvm::Value *line = plus(x, b.CreateMul(row, pitch));
        auto placeOf = [&](int64_t i) {
          return at(first, i64(i), shape.sumRowBytes());
        };
        SmallVector<llvm::Value *> total;
        for (int64_t i = 0; i < kRows; ++i)
          total.push_back(emitter.inScratch(
              b.CreateAlignedLoad(floats, placeOf(i), align())));
        emitLoop(b, i64(tiling.depthTiles), 1, total, [&](llvm::Value *k) {
          llvm::Value *from = at(column, k, tiling.rightBytes());
          llvm::Value *number = b.CreateMul(k, i64(tiling.depth));
          emitLoop(b, i64(tiling.depth), 2, total, [&](llvm::Value *step) {
            addPair(at(from, step, tiling.columns * 2),
                    b.CreateGEP(element, line, b.CreateAdd(number, step)),
                    isSplit, total);
          });
        });
        for (int64_t i = 0; i < kRows; ++i)
          emitter.inScratch(
              b.CreateAlignedStore(total[i], placeOf(i), align()));
      });
    });
  }

  /// Adds two products to each sum.
  void addPair(llvm::Value *y, llvm::Value *x, bool isSplit,
               MutableArrayRef<llvm::Value *> total) {
    for (int64_t half = 0; half < 2; ++half) {
      llvm::Value *factor = isSplit ? sumOfTerms(y, half) : whole(y, half);
      for (int64_t i = 0; i < kRows; ++i) {
        llvm::Value *place = b.CreateGEP(
            element, plus(x, b.CreateMul(i64(i), pitch)), i64(half));
        llvm::Value *number =
            b.CreateFPExt(b.CreateAlignedLoad(element, place,
                                              llvm::Align(shape.factorBytes())),
                          b.getFloatTy());
        total[i] = b.CreateIntrinsic(
            llvm::Intrinsic::fma, {floats},
            {b.CreateVectorSplat(tiling.columns, number), factor, total[i]});
      }
    }
  }

  /// The numbers of a step of the depth, or of the next one.
  llvm::Value *sumOfTerms(llvm::Value *place, int64_t half) {
    llvm::Value *sum = nullptr;
    for (int64_t term = 0; term < tiling.terms; ++term) {
      llvm::Value *bits = load(at(place, i64(term), tiling.rightTermBytes()));
      bits = half ? b.CreateAnd(bits, llvm::ConstantInt::get(words, 0xffff0000))
                  : b.CreateShl(bits, 16);
      llvm::Value *number = b.CreateBitCast(bits, floats);
      sum = sum ? b.CreateFAdd(sum, number) : number;
    }
    return sum;
  }
  /// The same of numbers that are not split.
  llvm::Value *whole(llvm::Value *place, int64_t half) {
    auto *bits = llvm::FixedVectorType::get(b.getInt16Ty(), tiling.columns);
    llvm::Value *numbers = b.CreateBitCast(
        b.CreateTrunc(b.CreateLShr(load(place), 16 * half), bits),
        llvm::FixedVectorType::get(element, tiling.columns));
    return b.CreateFPExt(numbers, floats);
  }

  llvm::Value *load(llvm::Value *place) {
    return emitter.inScratch(b.CreateAlignedLoad(words, place, align()));
  }
  static llvm::Align align() { return llvm::Align(4); }
  llvm::Value *i64(int64_t number) { return b.getInt64(number); }
  llvm::Value *plus(llvm::Value *base, llvm::Value *bytes) {
    return b.CreateGEP(b.getInt8Ty(), base, bytes);
  }
  llvm::Value *at(llvm::Value *base, llvm::Value *index, int64_t bytes) {
    return plus(base, b.CreateMul(index, i64(bytes)));
  }

  Emitter &emitter;
  llvm::IRBuilder<> &b;
  const DotShape &shape;
  Tiling tiling;
  llvm::Type *element, *floats, *words;
  llvm::Value *left, *pitch, *right, *complete, *sums, *iterations;
};
} // namespace

void emitVectorProduct(Emitter &emitter, const DotShape &shape,
                       const VectorProduct &product) {
  llvm::IRBuilder<> &b = emitter.builder;
  llvm::Type *pointer = b.getPtrTy(), *number = b.getInt64Ty();
  llvm::Function *function =
      functionOfDot(emitter, nameOfDot("dot.by.vectors", shape),
                    {pointer, number, pointer, pointer, pointer, number},
                    [&](llvm::Function *f) {
                      VectorProductEmitter(emitter, shape, f).run(product);
                    });
  b.CreateCall(function, {product.left, product.pitch, product.right,
                          product.complete, product.sums, product.iterations});
}

} // namespace nereid::cpu
