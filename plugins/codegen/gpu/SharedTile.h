// SharedTile.h - where the operand of a product lies in shared memory.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Elements are ordered by batch, then by depth, then by row or column, so that
// neighbors of a row (of the left operand: of a column) are read at once. If
// the lanes that store it hold different depths, those would be in the same
// banks: then bits of the depth are added to the row or column, by exclusive
// or, in units of 16 bytes. All sizes are powers of two, so that this is a
// linear map over GF(2) from the bits of the coordinates, as in Layout.h.

#ifndef NEREID_CODEGEN_GPU_SHAREDTILE_H
#define NEREID_CODEGEN_GPU_SHAREDTILE_H

#include "gpu/Layout.h"

namespace nereid::codegen::gpu {

class SharedTile {
public:
  /// For an operand that threads hold in `source`, `slice` of its depth at a
  /// time; of `words` words of 32 bits an element.
  SharedTile(const Layout &source, bool isLeft, int64_t slice, unsigned words);

  /// The first word of an element; the depth counts modulo the slice.
  uint32_t wordOf(uint32_t depth, uint32_t other, uint32_t batch) const;
  /// That of an element of the operand's tile.
  uint32_t wordOf(ElementIndex element) const;
  Bases wordsOf(llvm::ArrayRef<ElementIndex> elements) const;
  /// Words of the whole slice.
  uint32_t size() const { return words << (batchShift + batchBits); }

  unsigned depthDim() const { return depth; }
  unsigned otherDim() const { return other; }

private:
  const Layout source;
  unsigned words, depth, other;
  unsigned otherBits, depthBits, batchBits, batchShift;
  Bases swizzles; // of the depth's bits, in words
};

} // namespace nereid::codegen::gpu

#endif // NEREID_CODEGEN_GPU_SHAREDTILE_H
