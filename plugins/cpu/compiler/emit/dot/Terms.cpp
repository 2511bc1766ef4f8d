// Terms.cpp - numbers as sums of bf16.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "emit/dot/Terms.h"

using namespace mlir;

namespace nereid::cpu {

/// The upper halves of f32, in place; `words` has their bits.
static llvm::Value *upperBits(llvm::IRBuilder<> &b, llvm::Value *words) {
  return b.CreateAnd(words,
                     llvm::ConstantInt::get(words->getType(), 0xffff0000));
}

TermSplitter::TermSplitter(Emitter &emitter, int64_t terms, int64_t lanes)
    : b(emitter.builder), terms(terms),
      floats(llvm::FixedVectorType::get(b.getFloatTy(), lanes)),
      words(llvm::FixedVectorType::get(b.getInt32Ty(), lanes)) {}

SmallVector<llvm::Value *, 2> TermSplitter::split(llvm::Value *numbers,
                                                  llvm::Value *&known) {
  llvm::Value *rest = b.CreateFPExt(numbers, floats);
  SmallVector<llvm::Value *, 2> parts = {rest};
  while (int64_t(parts.size()) < terms) {
    llvm::Value *upper = upperBits(b, b.CreateBitCast(rest, words));
    rest = b.CreateFSub(rest, b.CreateBitCast(upper, floats));
    parts.push_back(rest);
  }
  // The rest of infinities and NaN is NaN, which stays.
  known =
      b.CreateIntrinsic(llvm::Intrinsic::fma, {floats},
                        {rest, llvm::Constant::getNullValue(floats), known});
  return parts;
}

llvm::Value *TermSplitter::areComplete(ArrayRef<llvm::Value *> known) {
  llvm::Value *all = b.getTrue();
  for (llvm::Value *vector : known)
    all = b.CreateAnd(all, b.CreateAndReduce(b.CreateFCmpORD(vector, vector)));
  return all;
}

llvm::Value *upperHalves(llvm::IRBuilder<> &b, llvm::Value *low,
                         llvm::Value *high) {
  auto *type = cast<llvm::FixedVectorType>(low->getType());
  auto *words =
      llvm::FixedVectorType::get(b.getInt32Ty(), type->getNumElements());
  return b.CreateOr(b.CreateLShr(b.CreateBitCast(low, words), 16),
                    upperBits(b, b.CreateBitCast(high, words)));
}

llvm::Value *joinedUpperHalves(llvm::IRBuilder<> &b,
                               ArrayRef<llvm::Value *> vectors) {
  SmallVector<llvm::Value *, 2> halves;
  SmallVector<int> order;
  for (llvm::Value *vector : vectors) {
    int lanes =
        cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
    for (int lane = 0; lane < lanes; ++lane)
      order.push_back(int(halves.size()) * 2 * lanes + 2 * lane + 1);
    halves.push_back(b.CreateBitCast(
        vector, llvm::FixedVectorType::get(b.getInt16Ty(), 2 * lanes)));
  }
  return b.CreateShuffleVector(halves.front(), halves.back(), order);
}

} // namespace nereid::cpu
