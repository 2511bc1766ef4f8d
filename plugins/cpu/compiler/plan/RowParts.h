// RowParts.h - programs that are divided into parts for several threads.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_ROWPARTS_H
#define NEREID_CPU_COMPILER_PLAN_ROWPARTS_H

#include "plan/TileProgram.h"

namespace nereid::cpu {

/// Adds masks to the stores of `kernel` that leave each part its rows, and the
/// condition to `info`. Nothing if its programs cannot be divided.
std::optional<RowParts> divideRows(tt::FuncOp kernel, codegen::TileForms &forms,
                                   const GenerateOptions &options,
                                   KernelInfo &info);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_ROWPARTS_H
