// PlainAtomics.h - atomic operations that need no lock.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_PLAINATOMICS_H
#define NEREID_CPU_COMPILER_PLAN_PLAINATOMICS_H

#include "plan/TileProgram.h"

namespace nereid::cpu {

/// May a load and a store take the place of `op` while no other kernel that
/// communicates runs? Not if its scope is the system, to which the host and
/// other processes belong.
bool mayBePlain(mlir::Operation *op, const GenerateOptions &options);

/// Can `op` update the elements of vectors, if they are neighbours? Old values
/// are not returned.
bool canUpdateVectors(tt::AtomicRMWOp op, const TileProgram &program);

/// May values of `op`, for one address, be combined before they update it?
bool canCombineValues(tt::AtomicRMWOp op, const TileProgram &program,
                      const GenerateOptions &options);

/// Whether vectors of `update` may have one address each: how many of them
/// certainly have the same one, or 1 if that turns out at run time.
std::optional<unsigned> runsOf(tt::AtomicRMWOp update, const Nest &nest,
                               int64_t lanes, codegen::TileForms &forms);

/// Sets NEREID_CPU_KERNEL_PLAIN_ATOMICS if `program` has such operations and
/// may make others wait: it waits for no other and calls no function of the
/// host; and NEREID_CPU_KERNEL_ATOMIC_NEIGHBOURS.
void planPlainAtomics(const TileProgram &program,
                      const GenerateOptions &options, KernelInfo &info);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_PLAINATOMICS_H
