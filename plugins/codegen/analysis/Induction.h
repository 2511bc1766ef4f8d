// Induction.h - strength reduction of pointer or index tiles that a loop only
// advances.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_ANALYSIS_INDUCTION_H
#define NEREID_CODEGEN_ANALYSIS_INDUCTION_H

#include "analysis/Polynomial.h"
#include "nereid/ttir/Dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::codegen {

/// Replaces each tile that an scf.for only advances by a loop-invariant value
/// (`ptrs += BLOCK_K * stride`) by its first value plus a scalar that the loop
/// carries. The tile is then an index function.
void scalarizeInductions(tt::FuncOp function);

/// What every iteration of `loop` adds to `value`, if that is loop-invariant.
std::optional<Polynomial> advanceOf(const Polynomial &value,
                                             mlir::scf::ForOp loop);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_ANALYSIS_INDUCTION_H
