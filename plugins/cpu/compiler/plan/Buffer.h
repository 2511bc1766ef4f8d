// Buffer.h - scratch for tiles, and the order of their elements in it.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_BUFFER_H
#define NEREID_CPU_COMPILER_PLAN_BUFFER_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace nereid::cpu {

/// The order of the elements of a tile in scratch: the one at index i has the
/// offset sum_d strides[d] * i[d]. With panels, the last dimension is cut into
/// blocks of `panel` columns, which is a power of two: its part of the offset
/// is i / panel * panelStride + i % panel.
struct TileLayout {
  llvm::SmallVector<int64_t, 4> strides;
  int64_t panel = 0, panelStride = 0; // 0: no panels

  static TileLayout rowMajor(llvm::ArrayRef<int64_t> shape);
  /// Row-major but for dimension `innermost`, which has the stride 1.
  static TileLayout along(unsigned innermost, llvm::ArrayRef<int64_t> shape);
};

/// Scratch for one tile, elements with their layout in memory, or for a tile of
/// each of several iterations of a loop: these are joined along `joinedDim` to
/// a larger tile, which is row-major or, with `panel`, cut into panels. There
/// may be several such groups of tiles.
struct Buffer {
  unsigned id = 0;
  mlir::Type element;
  llvm::SmallVector<int64_t, 4> shape; // of one tile
  int64_t tiles = 1, groups = 1;
  uint64_t padding = 0; // after each group, bytes
  unsigned joinedDim = 0;
  int64_t panel = 0;   // columns of a panel; 0: no panels
  /// The dimension with stride 1 of a buffer for one tile without panels; none:
  /// the last.
  std::optional<unsigned> innermost;
  uint64_t offset = 0; // in scratch, bytes
  bool isInRegisters = false; // its nest keeps the tile (Nest::group); no scratch

  int64_t elements() const; // of one tile
  uint64_t bytes() const;   // of one tile
  uint64_t groupStride() const { return bytes() * tiles + padding; } // bytes
  TileLayout layout() const;
  int64_t tileStride() const; // elements from one tile to the next
};

/// Buffers start at cache lines; the first line of scratch is reserved.
constexpr uint64_t kScratchAlign = 64;

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_BUFFER_H
