// IndexParts.h - the parts of the index of tiles of one dimension.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_INDEXPARTS_H
#define NEREID_CPU_COMPILER_PLAN_INDEXPARTS_H

#include "nereid/ttir/Dialect.h"

#include "llvm/ADT/MapVector.h"

#include <array>
#include <cstdint>
#include <optional>
#include <set>

namespace nereid::cpu {

/// `first`, which is not negative and a multiple of 2^width, plus bits
/// [low, low + width) of the index. If `first` is null, it is 0.
struct IndexPart {
  mlir::Value first;
  unsigned low = 0, width = 0;
};

/// What a kernel's quotients and remainders are of the index of its tiles.
class IndexParts {
public:
  /// Can and should the tiles of `kernel` have a dimension for each part of
  /// their index?
  bool survey(tt::FuncOp kernel);

  /// The sizes of these dimensions. The first one has the highest bits.
  llvm::SmallVector<int64_t> shape() const;

  unsigned bits = 0; ///< of the index
  /// Quotients and remainders in the order of the kernel.
  llvm::MapVector<mlir::Operation *, IndexPart> parts;
  /// They are these parts where the grid has at most so many programs along x,
  /// y and z.
  std::array<uint32_t, 3> mostPrograms;

private:
  bool accept(mlir::Operation *op);
  bool acceptType(mlir::Type type);
  std::optional<IndexPart> partOf(mlir::Value tile);
  std::optional<IndexPart> divide(mlir::Operation *op);
  bool isFirstIndex(mlir::Value scalar);

  std::set<unsigned> cuts; // between parts, from the lowest bit
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_INDEXPARTS_H
