// TileTerms.cpp - products in tile registers of operands that are split into
// sums of bf16.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The left operand is split while it is multiplied with the first columns, a
// step of the depth ahead: vectors and tile registers are used at the same
// time. What the rows of a block have turns out in the end, when they may have
// to be multiplied again.

#include "emit/CountedLoop.h"
#include "emit/dot/TileDot.h"

using namespace mlir;

namespace nereid::cpu {

void TileDotEmitter::runByRows(const Batch &batch) {
  llvm::Value *right = isRightComplete();
  llvm::Value *rest = i64(tiling.columnTiles - blockColumns);
  if (shape.hasFactors)
    scaleBlock(batch.sums, batch.first, i64(0));
  eachRow(batch, [&](llvm::Value *row) {
    LeftTerms terms{leftAt(batch.left, row), {}};
    TermSplitter splitter(emitter, tiling.terms, termLanes());
    terms.known = splitter.start(tiling.depth / termLanes());
    for (int64_t number = 0; number < blockRows * tiling.rows; ++number)
      splitRow(splitter, terms, {}, number);
    startBlock(batch, row, i64(0));
    multiply(batch, row, i64(0), &terms);
    llvm::Value *isSplit =
        b.CreateAnd(splitter.areComplete(terms.known), right);
    auto multiplyAgain = [&](llvm::Value *column) {
      emitIf(emitter, b.CreateNot(isSplit),
             [&] { multiplyByVectors(batch, row, column); });
      endSums(batch, row, column);
    };
    multiplyAgain(i64(0));
    if (tiling.columnTiles > blockColumns)
      emitLoop(b, rest, blockColumns, {}, [&](llvm::Value *column) {
        column = b.CreateAdd(column, i64(blockColumns));
        startBlock(batch, row, column);
        emitIf(emitter, isSplit,
               [&] { multiply(batch, row, column, nullptr); });
        multiplyAgain(column);
      });
  });
}

/// An i1: are the terms of the right operands of all iterations complete?
llvm::Value *TileDotEmitter::isRightComplete() {
  SmallVector<llvm::Value *, 1> all = {b.getInt32(1)};
  llvm::Value *iterations = shape.right.iteration ? in.iterations : i64(1);
  llvm::Value *first = at(in.right, i64(shape.batches), tiling.batchBytes());
  emitLoop(b, iterations, 1, all, [&](llvm::Value *iteration) {
    llvm::Value *place =
        at(first, iteration, shape.right.iteration * shape.wordBytes());
    all[0] = b.CreateAnd(all[0], emitter.inScratch(b.CreateAlignedLoad(
                                     b.getInt32Ty(), place, llvm::Align(4))));
  });
  return b.CreateIsNotNull(all[0]);
}

/// Splits row `number` of a block, at one step of the depth.
void TileDotEmitter::splitRow(TermSplitter &splitter, LeftTerms &terms,
                              const Step &step, int64_t number) {
  llvm::Type *element = convertElementType(shape.factor, emitter.context());
  auto *vector = llvm::FixedVectorType::get(element, termLanes());
  llvm::Value *from = b.CreateGEP(b.getInt8Ty(), terms.first,
                                  b.CreateMul(i64(number), leftPitch));
  llvm::Value *to = in.terms;
  if (step.k) {
    from = at(from, step.iteration, shape.left.iteration * shape.wordBytes());
    from = at(from, step.k, tiling.depth * shape.factorBytes());
    to = at(to, step.number, tiling.leftBytes());
  }
  SmallVector<SmallVector<llvm::Value *, 2>, 2> parts;
  for (auto [i, known] : llvm::enumerate(terms.known)) {
    llvm::Value *place = b.CreateGEP(element, from, i64(i * termLanes()));
    parts.push_back(splitter.split(
        b.CreateAlignedLoad(vector, place, llvm::Align(shape.factorBytes())),
        known));
  }
  for (int64_t term = 0; term < tiling.terms; ++term) {
    SmallVector<llvm::Value *, 2> vectors;
    for (const auto &part : parts)
      vectors.push_back(part[term]);
    int64_t tile = number / tiling.rows, row = number % tiling.rows;
    int64_t bytes = tile * tiling.termRowBytes(shape) +
                    term * tiling.leftTermBytes() +
                    row * tiling.depth * tiling.elementBytes;
    emitter.inScratch(b.CreateAlignedStore(
        joinedUpperHalves(b, vectors), at(to, i64(bytes), 1), llvm::Align(2)));
  }
}

/// Adds the products of a step of the depth and, with `terms`, splits the left
/// operand for the next one; after the last step, for that again.
void TileDotEmitter::multiplyStep(llvm::Value *iteration, llvm::Value *k,
                                  llvm::Value *right, LeftTerms *terms) {
  llvm::Value *steps = i64(tiling.depthTiles), *number = k;
  if (shape.left.iteration)
    number = b.CreateAdd(b.CreateMul(iteration, steps), k);
  llvm::Value *left = at(in.terms, number, tiling.leftBytes());
  int64_t rows = blockRows * tiling.rows;
  if (!terms)
    return addProductsOfTerms(left, right, [](int64_t, int64_t) {});
  llvm::Value *last = b.CreateSub(
      shape.left.iteration ? b.CreateMul(in.iterations, steps) : steps, i64(1));
  Step next;
  next.number = emitter.smaller(b.CreateAdd(number, i64(1)), last);
  next.iteration = b.CreateUDiv(next.number, steps);
  next.k = b.CreateURem(next.number, steps);
  TermSplitter splitter(emitter, tiling.terms, termLanes());
  addProductsOfTerms(left, right, [&](int64_t pair, int64_t pairs) {
    for (int64_t i = pair * rows / pairs; i < (pair + 1) * rows / pairs; ++i)
      splitRow(splitter, *terms, next, i);
  });
}

/// Adds the products of a step, each term of one side with each of the other.
/// Tiles stay in registers from one pair of terms to the next. `then` is called
/// after each pair with its number, of so many.
void TileDotEmitter::addProductsOfTerms(
    llvm::Value *x, llvm::Value *y,
    llvm::function_ref<void(int64_t, int64_t)> then) {
  llvm::Value *tile = i64(tiling.termRowBytes(shape));
  llvm::Value *pitch = i64(tiling.depth * tiling.elementBytes);
  int64_t terms = tiling.terms, pairs = terms * terms;
  for (int64_t pair = 0; pair < pairs; ++pair) {
    int64_t left = pair / terms, right = pair % terms;
    Loads loads = right ? Loads::Right : left ? Loads::Left : Loads::Both;
    right = left % 2 ? terms - 1 - right : right;
    addProducts(at(x, i64(left), tiling.leftTermBytes()), tile, pitch,
                at(y, i64(right), tiling.rightTermBytes()), loads);
    then(pair, pairs);
  }
}

/// Computes the sums of a block again, in scratch, and loads them.
void TileDotEmitter::multiplyByVectors(const Batch &batch, llvm::Value *row,
                                       llvm::Value *column) {
  llvm::Value *sums = placeOf(batch.sums, row, column);
  emitIf(emitter, isZero(), [&] {
    emitLoop(b, blockRows * tiling.rows, 1, [&](llvm::Value *line) {
      b.CreateMemSet(at(sums, line, sumPitch()), b.getInt8(0),
                     blockColumns * tiling.columns * 4, llvm::Align(4));
    });
  });
  emitVectorProduct(emitter, shape,
                    {blockRows * tiling.rows, blockColumns,
                     leftAt(batch.left, row), leftPitch,
                     at(batch.right, column, tiling.columnBytes()),
                     at(in.right, i64(shape.batches), tiling.batchBytes()),
                     sums, in.iterations});
  loadSums(sums);
}

} // namespace nereid::cpu
