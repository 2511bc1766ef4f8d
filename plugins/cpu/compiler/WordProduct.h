// WordProduct.h - instructions that add several products to one sum.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_WORDPRODUCT_H
#define NEREID_CPU_COMPILER_WORDPRODUCT_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace nereid::cpu {

/// An instruction on vectors of words of 32 bits. A word holds elements that
/// are neighbours along the depth of a dot; the products of the elements of two
/// words are added to a sum of 32 bits.
enum class WordProduct : unsigned {
  None,
  Vdpbf16ps, // AVX512-BF16
  Vpmaddwd,  // SSE2, AVX2, AVX512BW; with VNNI, LLVM makes it vpdpwssd
  Vpdpbusd,  // AVX512-VNNI, AVX-VNNI
  Vpdpbssd,  // AVX-VNNI-INT8
  Sdot,      // 64-bit Arm
};

struct WordProductInfo {
  WordProduct product;
  llvm::StringLiteral name;
  /// Elements of a word.
  int64_t together;
  /// The elements of the right word are unsigned. A signed operand x is stored
  /// as x + 128, and 128 times the sum of the left row is subtracted, which is
  /// exact in sums that wrap. (It is not the left operand, which may be read
  /// where it is in memory.)
  bool isRightUnsigned;
};
const WordProductInfo &infoOf(WordProduct product);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_WORDPRODUCT_H
