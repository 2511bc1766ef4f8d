// IndexParts.h - the parts of the index of tiles of one dimension.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_INDEXPARTS_H
#define NEREID_CPU_COMPILER_PLAN_INDEXPARTS_H

#include "nereid/ttir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

namespace nereid::cpu {

/// `first`, which is not negative and a multiple of 2^width, plus bits
/// [low, low + width) of the index. If `first` is null, it is 0.
struct IndexPart {
  mlir::Value first;
  unsigned low = 0, width = 0;
};

/// A quotient or remainder of the index: `part`, or what a division by
/// odd * 2^shift makes of it. Then only the bits from `shift` on are divided;
/// a remainder may lack its lowest bits, as many as are `cut`.
struct DividedIndex {
  IndexPart part;
  unsigned shift = 0;
  uint64_t odd = 1;
  bool isRemainder = false;
  unsigned cut = 0;
};

/// What a kernel's quotients and remainders are of the index of its tiles.
class IndexParts {
public:
  /// Can and should the tiles of `kernel` have a dimension for each part of
  /// their index?
  bool survey(tt::FuncOp kernel);

  /// The sizes of these dimensions. The first one has the highest bits.
  llvm::SmallVector<int64_t> shape() const;

  /// The elements of `part`, of the type `element`, with the size 1 in
  /// dimensions that it does not depend on.
  mlir::Value tileOf(mlir::OpBuilder &builder, mlir::Location location,
                     const IndexPart &part, mlir::Type element) const;

  unsigned bits = 0; ///< of the index
  /// Quotients and remainders in the order of the kernel.
  llvm::MapVector<mlir::Operation *, DividedIndex> divisions;
  /// Comparisons of the whole index with other tiles, and the first index.
  llvm::SmallVector<std::pair<mlir::arith::CmpIOp, mlir::Value>> comparisons;
  /// All this holds where the grid has at most so many programs along x, y and
  /// z: then no first index overflows.
  std::array<uint32_t, 3> mostPrograms;

private:
  bool accept(mlir::Operation *op);
  bool acceptType(mlir::Type type);
  std::optional<IndexPart> partOf(mlir::Value tile);
  std::optional<DividedIndex> divide(mlir::Operation *op);
  std::optional<DividedIndex> divideRemainder(mlir::Operation *op,
                                              const llvm::APInt &divisor);
  bool isFirstIndex(mlir::Value scalar);

  std::set<unsigned> cuts; // between parts, from the lowest bit
};

/// How many programs along an axis of the grid have a first index, a multiple
/// of a tile's size, that is not negative.
struct FirstIndex {
  unsigned axis;
  uint32_t mostPrograms;
};
/// What `scalar` is, if it is the number of the program times a multiple of
/// 2^bits.
std::optional<FirstIndex> firstIndexOf(mlir::Value scalar, unsigned bits);

/// A tile of i32, of one dimension: `width` bits of its index, which has
/// `below` lower ones and `above` higher ones.
mlir::Value bitsOfIndex(mlir::OpBuilder &builder, mlir::Location location,
                        unsigned above, unsigned width, unsigned below);
/// `tile`, or a broadcast of it if it has another shape.
mlir::Value broadcastTo(mlir::OpBuilder &builder, mlir::Location location,
                        mlir::Value tile, llvm::ArrayRef<int64_t> shape);
/// A tile of `type` whose elements are all `number`.
mlir::Value constantTile(mlir::OpBuilder &builder, mlir::Location location,
                         uint64_t number, mlir::RankedTensorType type);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_INDEXPARTS_H
