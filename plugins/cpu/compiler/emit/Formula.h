// Formula.h - a formula of a launch, computed by the entry.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_EMIT_FORMULA_H
#define NEREID_CPU_COMPILER_EMIT_FORMULA_H

#include "common/work_step.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/IRBuilder.h"

namespace nereid::cpu {

/// Emits the steps of a formula, which is not empty and does not depend on a
/// program's position, into `entry`, of the type nereid_cpu_entry_t. Returns
/// the last one, an f64, as the driver computes it.
llvm::Value *emitFormula(llvm::IRBuilder<> &builder, llvm::Function &entry,
                         llvm::ArrayRef<nereid_work_step_t> steps);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_EMIT_FORMULA_H
