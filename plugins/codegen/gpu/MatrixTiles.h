// MatrixTiles.h - tiles that matrix units hold.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The elements of a cooperative matrix are spread over the lanes of a subgroup
// in an order that only the driver knows. A tile that is held in matrices has
// no layout of its own: it is converted, through shared memory, to each layout
// in which another operation needs it.

#ifndef NEREID_CODEGEN_GPU_MATRIXTILES_H
#define NEREID_CODEGEN_GPU_MATRIXTILES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"

namespace nereid::codegen::gpu {

/// What the matrices of a tile are made of.
struct MatrixSource {
  enum Kind {
    Matrices, // it is held in matrices already
    Splat,    // one scalar: `tile` is a constant, or the result of tt.splat
    Row,      // `tile` has one row, which is repeated
    Column,   // `tile` has one column, which is repeated
    Tile,     // `tile`, from registers
  };
  Kind kind = Tile;
  mlir::Value tile;

  bool isInRegisters() const { return kind >= Row; }
};

class MatrixTiles {
public:
  bool holds(mlir::Value tile) const { return held.contains(tile); }
  void hold(mlir::Value tile) { held.insert(tile); }

  /// An operand of a product that is stored to shared memory from matrices.
  bool isStoredDirectly(mlir::OpOperand &operand) const {
    return direct.contains(&operand);
  }
  void storeDirectly(mlir::OpOperand &operand) { direct.insert(&operand); }

  /// Of `tile` where matrices are needed.
  MatrixSource sourceOf(mlir::Value tile) const;

private:
  llvm::DenseSet<mlir::Value> held;
  llvm::DenseSet<mlir::OpOperand *> direct;
};

} // namespace nereid::codegen::gpu

#endif // NEREID_CODEGEN_GPU_MATRIXTILES_H
