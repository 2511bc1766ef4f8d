// SharedTile.cpp - where the operand of a product lies in shared memory.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "gpu/SharedTile.h"

#include "gpu/Linear.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

namespace nereid::codegen::gpu {

// Banks of a word, on every GPU.
static constexpr uint32_t kBanks = 32;
// Words that are accessed at once stay together.
static constexpr unsigned kUnitBits = 2;

SharedTile::SharedTile(const Layout &source, bool isLeft, int64_t slice,
                       unsigned words)
    : source(source), words(words),
      depth(isLeft ? source.rank() - 1 : source.rank() - 2),
      other(isLeft ? source.rank() - 2 : source.rank() - 1) {
  llvm::ArrayRef<int64_t> shape = source.shape();
  otherBits = llvm::Log2_64(shape[other]);
  depthBits = llvm::Log2_64(slice);
  batchBits = shape.size() == 3 ? llvm::Log2_64(shape[0]) : 0;
  batchShift = otherBits + depthBits;
  swizzles.assign(depthBits, 0);

  Span banks;
  // What one thread stores at once is in different banks already.
  uint32_t unit = std::min<uint32_t>(1u << kUnitBits, words << otherBits);
  llvm::ArrayRef<ElementIndex> registers = source.registerBases();
  uint32_t inRun = 0;
  for (ElementIndex basis : registers)
    if (uint32_t word = wordOf(basis); word < unit)
      inRun |= word;
  inRun |= words - 1;
  for (uint32_t word = 1; inRun == unit - 1 && word < unit; word *= 2)
    banks.add(word);
  auto isOfDepth = [&](ElementIndex basis) {
    uint32_t along = source.coordinate(basis, depth);
    return llvm::has_single_bit(along) && along >> depthBits == 0 &&
           source.coordinate(basis, other) == 0;
  };
  // First those that stay where they are.
  for (ElementIndex basis : source.laneBases())
    if (!isOfDepth(basis))
      banks.add(wordOf(basis) % kBanks);
  for (ElementIndex basis : source.laneBases()) {
    uint32_t word = wordOf(basis), along = source.coordinate(basis, depth);
    if (!isOfDepth(basis) || banks.add(word % kBanks))
      continue;
    // Another unit of the same depth, in a bank that no other lane has.
    for (unsigned bit = kUnitBits;
         (1u << bit) < std::min(kBanks, words << otherBits); ++bit)
      if (banks.add((word ^ (1u << bit)) % kBanks)) {
        swizzles[llvm::Log2_32(along)] = 1u << bit;
        break;
      }
  }
}

uint32_t SharedTile::wordOf(uint32_t depth, uint32_t other,
                            uint32_t batch) const {
  depth &= (1u << depthBits) - 1;
  return words * (batch << batchShift | depth << otherBits | other) ^
         sumOf(swizzles, depth);
}

uint32_t SharedTile::wordOf(ElementIndex element) const {
  return wordOf(source.coordinate(element, depth),
                source.coordinate(element, other),
                source.rank() == 3 ? source.coordinate(element, 0) : 0);
}

Bases SharedTile::wordsOf(llvm::ArrayRef<ElementIndex> elements) const {
  return Bases(llvm::map_range(
      elements, [&](ElementIndex element) { return wordOf(element); }));
}

} // namespace nereid::codegen::gpu
