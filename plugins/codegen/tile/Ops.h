// Ops.h - classifies operations for a backend that turns tiles into loops or
// layouts.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of operations that remain after expandForBackend(). A new operation
// on tiles is a new row in Ops.cpp.

#ifndef NEREID_CODEGEN_TILE_OPS_H
#define NEREID_CODEGEN_TILE_OPS_H

#include "mlir/IR/Operation.h"

namespace nereid::codegen {

enum class TileOpKind {
  Scalar,     // has no tiles
  Expression, // its value at an index is computed wherever it is used
  Load,       // an expression too, unless it is volatile
  Store,
  Reduce,
  Scan,
  Serial,     // element by element, in row-major order
  Dot,        // reads its first two operands in an order of its own
  Print,      // reads its operands as a whole
  Region,     // scf.for, scf.if, scf.while
  Terminator,
  Unknown,    // not supported by any backend
};

struct TileOpInfo {
  TileOpKind kind = TileOpKind::Unknown;
  mlir::OpOperand *pointers = nullptr; // of its memory access
  mlir::OpOperand *mask = nullptr;     // of its effect or access; null: always
  /// Programs may communicate by it.
  bool isAtomic = false;
  /// It writes memory that tt.load reads; also true for atomic operations.
  bool writes = false;
  /// It computes its result as a whole, not element by element on demand.
  bool ownsResult = false;
};

TileOpInfo infoOf(mlir::Operation *op);

/// Does `op` compute each element of its results from the elements of its
/// operands at the same index, without an effect?
bool isElementOp(mlir::Operation *op);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_TILE_OPS_H
