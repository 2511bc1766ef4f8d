// PrintMasks.h - how a nest evaluates masks and divides its axis, as text.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_PRINTMASKS_H
#define NEREID_CPU_COMPILER_PLAN_PRINTMASKS_H

#include "tile/MaskPlan.h"

#include "mlir/IR/AsmState.h"

namespace nereid::cpu {

/// Prints a line for each condition, division and constant of `masks`.
void printMasks(const codegen::MaskPlan &masks, unsigned indent,
                llvm::raw_ostream &os, mlir::AsmState &names);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_PRINTMASKS_H
