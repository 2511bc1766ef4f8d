// Terms.h - numbers as sums of bf16.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Tile registers multiply bf16, which have 8 bits of significand. An f16, with
// 11, is the sum of two bf16, its terms: what its upper bits are, and the rest.
// The product of two numbers is the sum of those of their terms, four, each of
// which is exact in f32, and no small one: the last bit of an f16 is at least
// 2^-24. That is not so for infinities and NaN, since an infinity times a term
// that is zero is NaN. Operands that have some are multiplied otherwise.

#ifndef NEREID_CPU_COMPILER_EMIT_DOT_TERMS_H
#define NEREID_CPU_COMPILER_EMIT_DOT_TERMS_H

#include "emit/dot/Dot.h"

namespace nereid::cpu {

/// Splits vectors of numbers, and finds out whether they are sums of their
/// terms.
class TermSplitter {
public:
  TermSplitter(Emitter &emitter, int64_t terms, int64_t lanes);

  /// What is known before the first numbers, for loops to carry: for so many
  /// streams of vectors, which do not wait for each other.
  llvm::SmallVector<llvm::Value *> start(int64_t streams) {
    return llvm::SmallVector<llvm::Value *>(
        streams, llvm::Constant::getNullValue(floats));
  }
  /// Vectors of f32, whose upper halves are the terms of `numbers`, floats.
  /// Updates what is known of a stream.
  llvm::SmallVector<llvm::Value *, 2> split(llvm::Value *numbers,
                                            llvm::Value *&known);
  /// An i1: are all numbers the sums of their terms?
  llvm::Value *areComplete(llvm::ArrayRef<llvm::Value *> known);

private:
  llvm::IRBuilder<> &b;
  int64_t terms;
  llvm::Type *floats, *words;
};

/// Words of 32 bits: in each the upper halves of two f32, that of `low` first.
llvm::Value *upperHalves(llvm::IRBuilder<> &b, llvm::Value *low,
                         llvm::Value *high);
/// The upper halves of the f32 of some vectors, one or two, in their order.
llvm::Value *joinedUpperHalves(llvm::IRBuilder<> &b,
                               llvm::ArrayRef<llvm::Value *> vectors);

/// Packs the right operand as emitPackRight() does, term by term, and after it
/// an i32: are the terms complete? If not, the first ones are the numbers.
void emitPackTerms(Emitter &emitter, const DotShape &shape, llvm::Value *from,
                   llvm::Value *row, llvm::Value *to);

/// A block of sums, of so many rows and tiles of columns, to which products of
/// operands are added whose terms are not complete.
struct VectorProduct {
  int64_t rows, columnTiles;
  llvm::Value *left, *pitch;     // the first row, and the distance to the next
  llvm::Value *right, *complete; // of the first iteration: a tile, and the i32
  llvm::Value *sums, *iterations;
};
/// Emits a call that computes it in f32, by vectors.
void emitVectorProduct(Emitter &emitter, const DotShape &shape,
                       const VectorProduct &product);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_DOT_TERMS_H
