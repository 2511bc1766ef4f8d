// Sums.h - sums in registers: what they start with, and where they go.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_DOT_SUMS_H
#define NEREID_CPU_COMPILER_EMIT_DOT_SUMS_H

#include "emit/dot/Dot.h"

namespace nereid::cpu {

/// Writes at `place` what the program stores for a vector of sums.
void emitStored(Emitter &emitter, const SumStore &store, llvm::Value *sums,
                llvm::Value *place);
/// The type of an element of what is stored.
llvm::Type *typeStored(Emitter &emitter, const SumStore &store);

/// Reads and writes blocks of the sums of a product: some rows of
/// `shape.block.vectors` vectors, in row-major order.
class SumBlocks {
public:
  SumBlocks(Emitter &emitter, const DotShape &shape, const DotArguments &in);

  /// What a block of `rows` rows, which begins at `row`, is added to: the sums
  /// in scratch, from `first` on, scaled if they have factors, or zeros.
  llvm::SmallVector<llvm::Value *> start(llvm::Value *first, llvm::Value *row,
                                         int64_t rows);
  /// Writes a block that begins at `row` and `column`, in scratch at `first`.
  void store(llvm::ArrayRef<llvm::Value *> sums, llvm::Value *first,
             llvm::Value *row, llvm::Value *column);

private:
  void scale(llvm::MutableArrayRef<llvm::Value *> sums, llvm::Value *row);
  void storeInMemory(llvm::ArrayRef<llvm::Value *> sums, llvm::Value *row,
                     llvm::Value *column);
  void storeInScratch(llvm::ArrayRef<llvm::Value *> sums, llvm::Value *first);
  llvm::Value *placeOf(llvm::Value *first, size_t number);
  llvm::Value *writtenAt(llvm::Value *base, llvm::Value *rows);

  Emitter &emitter;
  llvm::IRBuilder<> &b;
  const DotShape &shape;
  const DotArguments &in;
  llvm::Type *sum, *vector;
  llvm::Align align;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_DOT_SUMS_H
