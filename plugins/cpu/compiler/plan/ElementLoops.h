// ElementLoops.h - loops that run inside a nest, with what they carry in
// registers.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_ELEMENTLOOPS_H
#define NEREID_CPU_COMPILER_PLAN_ELEMENTLOOPS_H

#include "plan/TileProgram.h"

namespace nereid::cpu {

/// Finds the loops of `function` that compute each element of the tiles that
/// they carry from elements at the same index and from memory, and had better
/// run for a few vectors at a time than for a whole tile. Moves out of them
/// what does not change. Returns them and the loops in them.
llvm::DenseSet<mlir::Operation *>
findElementLoops(tt::FuncOp function, codegen::TileForms &forms,
                 const GenerateOptions &options);

/// Sets the vectors and rows for which `nest`, which runs an element loop, does
/// so at once. Its vector axis and lanes are known.
void setBlockOfLoop(Nest &nest, const CpuModel &cpu);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_ELEMENTLOOPS_H
