// Distribution.h - a layout for each tile of a kernel.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads, stores and dots choose layouts ("anchors"); reductions, element-wise
// operations and loops take over those of their operands. A tile whose elements
// each thread can compute for itself from scalars and its own number (ranges,
// splats, their arithmetic), and every broadcast, has no layout of its own: it
// is computed once in each layout that a user needs. Any other tile is computed
// in its own layout, and converted where it is defined to all others that are
// needed.

#ifndef NEREID_CODEGEN_GPU_DISTRIBUTION_H
#define NEREID_CODEGEN_GPU_DISTRIBUTION_H

#include "analysis/TileForm.h"
#include "gpu/AccessLayouts.h"
#include "gpu/Layout.h"
#include "gpu/MatrixTiles.h"

#include "nereid/ttir/Dialect.h"

#include "llvm/ADT/MapVector.h"

namespace nereid::codegen::gpu {

struct DistributionOptions {
  Workgroup workgroup;
  /// Of the widest access to memory of one thread. The size of an element turns
  /// wide accesses off.
  unsigned accessBytes = 16;
  /// Null if there are none. It must exist as long as the distribution.
  const MatrixTiles *matrices = nullptr;
};

class Distribution {
public:
  /// The layouts in which `tile` is needed, without copies in the registers of
  /// one thread. If it has a layout of its own, this is the first.
  llvm::ArrayRef<Layout> variantsOf(mlir::Value tile) const;
  /// Its own layout; null if it has none. Of a tile that is held in matrices:
  /// what its users prefer.
  const Layout *ownLayoutOf(mlir::Value tile) const;
  /// Is `tile` held in matrices?
  bool isHeld(mlir::Value tile) const {
    return options.matrices && options.matrices->holds(tile);
  }
  /// The layout in which `use`, a tile, is read for a result in layout
  /// `ofResult`; null for operations without a tile as a result.
  Layout operandLayout(mlir::OpOperand &use, const Layout *ofResult) const;
  /// The layout in which `tile` is read to be stored in rows of shared memory,
  /// from which matrices are loaded: neighbors of a row that a thread holds
  /// fill words, or those of a column if it may be `alongColumns`.
  Layout stagingLayout(mlir::Value tile, bool alongColumns) const;
  /// Of a load, a store or an atomic operation on tiles.
  const Layout &accessLayout(mlir::Operation *access) const {
    return accesses.find(access)->second.layout;
  }
  /// Consecutive registers of a load or store that are one access.
  unsigned accessWidth(mlir::Operation *access) const;

  /// A line for each tile: its layouts, and how they are made. `kernel` is the
  /// one that was distributed.
  void print(tt::FuncOp kernel, llvm::raw_ostream &stream,
             mlir::AsmState &names) const;

private:
  friend class Distributor;

  Layout defaultLayout(mlir::Value tile) const;
  /// Its own, or the default one.
  Layout anyLayout(mlir::Value tile) const;
  void printTile(mlir::Value tile, llvm::raw_ostream &stream,
                 mlir::AsmState &names) const;

  llvm::DenseMap<mlir::Value, Layout> own;
  llvm::MapVector<mlir::Value, llvm::SmallVector<Layout, 2>> variants;
  AccessLayouts accesses;
  DistributionOptions options;
};

/// Of a kernel after expandForBackend() with structured branches.
Distribution distribute(tt::FuncOp kernel, TileForms &forms,
                        const DistributionOptions &options);

} // namespace nereid::codegen::gpu

#endif // NEREID_CODEGEN_GPU_DISTRIBUTION_H
