// Rewrites of operations on whole tiles to simpler ones.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_EXPAND_STRUCTURED_H
#define NEREID_CODEGEN_EXPAND_STRUCTURED_H

#include "Expr.h"

#include "nereid/ttir/Dialect.h"

namespace nereid::codegen {

/// Replaces \p op by conversions, a scaling and a tt.dot; an error for formats
/// without a conversion.
mlir::LogicalResult expandDotScaled(Scope &scope, tt::DotScaledOp op);

/// Replaces \p op by one with a pack of one element or, if its region is one
/// block of element-wise operations, by these operations on tensors.
void expandMapElementwise(Scope &scope, tt::MapElementwiseOp op);

/// Replaces exchanges of elements along axes of two by gathers, and operations
/// on tensors of their shapes by such of one dimension.
void flattenExchanges(mlir::ModuleOp module);

/// Drops masks that are true for every element, whatever the arguments.
void foldKnownMasks(mlir::ModuleOp module);

/// Drops what changes addresses only where the mask of the access is false.
void simplifyMaskedAddresses(mlir::ModuleOp module);

/// Replaces \p op by a broadcast if both of its operands are the same.
void repeatJoined(tt::JoinOp op);

/// Replaces \p op, a reduction or scan that rounds f16 or bf16 in every step,
/// by one in f32 whose results are rounded.
void widenCombination(mlir::Operation *op);

/// Makes \p op print fp8 as f32 or, in hexadecimal, as i8.
void widenPrint(tt::PrintOp op);

/// Adds the function that findAtomicUpdate() returns, if \p op needs one.
void addAtomicUpdate(mlir::ModuleOp module, const AtomicSet &atomics,
                     tt::AtomicRMWOp op);

/// Reports the first value of a type that the target lacks.
mlir::LogicalResult checkTypes(mlir::ModuleOp module,
                               const ExpandOptions &options);

/// Converts the branches of one function to `scf`.
mlir::LogicalResult liftBranches(tt::FuncOp function);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_EXPAND_STRUCTURED_H
