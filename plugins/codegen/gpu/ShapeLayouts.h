// ShapeLayouts.h - layouts across operations that only move elements.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// One table, in both directions. Where it has a row, no element changes its
// thread: the registers of a result are registers of the operands.

#ifndef NEREID_CODEGEN_GPU_SHAPELAYOUTS_H
#define NEREID_CODEGEN_GPU_SHAPELAYOUTS_H

#include "gpu/Layout.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace nereid::codegen::gpu {

/// The layout of operand number `operand` of a shape operation whose result has
/// layout `result`; none for other operations.
std::optional<Layout> shapeOperandLayout(mlir::Operation *op, unsigned operand,
                                         const Layout &result);

/// The layout of the results of a shape operation whose first operand has
/// layout `operand`; none for other operations.
std::optional<Layout> shapeResultLayout(mlir::Operation *op,
                                        const Layout &operand);

} // namespace nereid::codegen::gpu

#endif // NEREID_CODEGEN_GPU_SHAPELAYOUTS_H
