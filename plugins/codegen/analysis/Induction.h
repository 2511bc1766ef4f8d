// Induction.h - tiles of pointers or indices that a loop only advances.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_ANALYSIS_INDUCTION_H
#define NEREID_CODEGEN_ANALYSIS_INDUCTION_H

#include "analysis/Polynomial.h"
#include "nereid/ttir/Dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::codegen {

/// Turns each tile that an scf.for carries only to add the same thing to it
/// every time (`ptrs += BLOCK_K * stride`) into its first value plus a scalar
/// that the loop carries instead. The tile is then an index function.
void scalarizeInductions(tt::FuncOp function);

/// What every round of `loop` adds to `value`, if that is always the same.
std::optional<Polynomial> advanceOf(const Polynomial &value,
                                             mlir::scf::ForOp loop);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_ANALYSIS_INDUCTION_H
