// Interleave.h - the order of programs: turns in a loop, products of several at
// once, the axes of the grid.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_INTERLEAVE_H
#define NEREID_CPU_COMPILER_PLAN_INTERLEAVE_H

#include "plan/TileProgram.h"

namespace nereid::cpu {

/// Sets TileProgram::turns if `program` may take turns with those
/// after it, and they then read memory in a better order.
void planInterleaving(TileProgram &program, codegen::TileForms &forms,
                      const GenerateOptions &options);

/// Is a load of memory, whenever it is made, all that `loop` has an effect by?
bool onlyReads(mlir::scf::ForOp loop);

/// So many programs, at most, take turns: their blocks then are long enough for
/// the hardware prefetchers.
constexpr int64_t kMostPrograms = 64;

/// By how much `value` exceeds that of the program before along an axis of the
/// grid, if it is a constant.
std::optional<int64_t> differenceOfPrograms(const codegen::Polynomial &value,
                                            int axis = 0);

/// How many programs, along x, should take turns in `loop` because what each
/// reads of a row in memory is short, and the next one reads what follows. 0:
/// they should not.
int64_t programsOfRows(mlir::scf::ForOp loop, codegen::TileForms &forms);

/// Sets TileProgram::joint, before buffers are placed, if products of `program`
/// may be computed with those of the programs after it.
void planJoint(TileProgram &program, const GenerateOptions &options);

/// The axis of the grid along which programs share what depends on `key`,
/// scalars outside of loops: the first of which these do not depend on. 0, too,
/// if there is none, or the order of programs matters.
unsigned axisOfSharing(const TileProgram &program,
                       llvm::ArrayRef<mlir::Value> key,
                       const GenerateOptions &options);

/// Sets TileProgram::fastestAxis if programs may run in any order, and share
/// right operands of dots along that axis or, without dots, most of what they
/// read and write is at neighbours of memory along y, not along x; and
/// TileProgram::continued.
void planGridOrder(TileProgram &program, codegen::TileForms &forms,
                   const GenerateOptions &options);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_INTERLEAVE_H
