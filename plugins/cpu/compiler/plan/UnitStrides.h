// UnitStrides.h - strides that are arguments, and are one in most launches.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_UNITSTRIDES_H
#define NEREID_CPU_COMPILER_PLAN_UNITSTRIDES_H

#include "analysis/TileForm.h"
#include "nereid/ttir/Dialect.h"

namespace nereid::cpu {

/// The arguments of `kernel`, integers, that would have to be one for its loads
/// and stores to be contiguous: each is the stride along the last dimension of
/// a tile that is contiguous along none. In the order of the arguments.
llvm::SmallVector<mlir::BlockArgument> findUnitStrides(tt::FuncOp kernel);

/// A copy of `kernel`, in the same module, in which these arguments are one.
tt::FuncOp copyWithUnitStrides(tt::FuncOp kernel,
                               llvm::ArrayRef<mlir::BlockArgument> arguments);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_UNITSTRIDES_H
