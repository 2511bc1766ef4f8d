// PrintDot.h - how a dot is multiplied, as text.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_PRINTDOT_H
#define NEREID_CPU_COMPILER_PLAN_PRINTDOT_H

#include "plan/TileProgram.h"

namespace nereid::cpu {

/// Prints the plan of `dot`, without the end of the line; `name` prints a
/// value.
void printDot(const TileProgram &program, tt::DotOp dot, llvm::raw_ostream &os,
              llvm::function_ref<void(mlir::Value)> name);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_PRINTDOT_H
