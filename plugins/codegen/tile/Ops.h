// Ops.h - what kind of thing each operation is to a backend that turns tiles
// into loops or layouts.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The one table of operations, as they are after expandForBackend(). A new
// operation on tiles is a new row in Ops.cpp.

#ifndef NEREID_CODEGEN_TILE_OPS_H
#define NEREID_CODEGEN_TILE_OPS_H

#include "mlir/IR/Operation.h"

namespace nereid::codegen {

enum class TileOpKind {
  Scalar,     // works on no tile
  Expression, // its value at an index is computed wherever it is wanted
  Load,       // an expression too, unless it is volatile
  Store,
  Reduce,
  Scan,
  Serial,     // element after element, in row-major order
  Dot,        // reads its first two operands in an order of its own
  Print,      // reads its operands as a whole
  Region,     // scf.for, scf.if, scf.while
  Terminator,
  Unknown,    // no backend knows it
};

struct TileOpInfo {
  TileOpKind kind = TileOpKind::Unknown;
  mlir::OpOperand *pointers = nullptr; // what it accesses memory through
  mlir::OpOperand *mask = nullptr;     // where it does something; null: always
  /// It takes part in the communication of programs.
  bool isAtomic = false;
  /// It writes memory that tt.load reads; atomic operations do.
  bool writes = false;
  /// It makes all of its result, not one element where it is wanted.
  bool ownsResult = false;
};

TileOpInfo infoOf(mlir::Operation *op);

/// Does `op` compute each element of its results from the elements of its
/// operands at the same index, without an effect?
bool isElementOp(mlir::Operation *op);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_TILE_OPS_H
