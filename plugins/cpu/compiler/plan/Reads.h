// Reads.h - the reads of a root of a nest: the leaves of its expressions, with
// their index maps.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_READS_H
#define NEREID_CPU_COMPILER_PLAN_READS_H

#include "plan/TileProgram.h"

namespace nereid::cpu {

/// Everything a root reads.
struct RootReads {
  llvm::SmallVector<TileRead, 4> loads;        // results of tt.load, streamed
  llvm::SmallVector<TileRead, 4> materialized; // values in buffers
  llvm::SmallVector<mlir::Value, 8> scalars;
  llvm::SetVector<mlir::Value> streamed; // expressions evaluated on the way
  bool isOfLoop = false; // some of it changes in an element loop
};

/// Collects what `root` reads in `program`, as far as that is planned.
RootReads readsOf(const Root &root, const TileProgram &program);

/// Collects what evaluating `value` reads.
RootReads readsOf(mlir::Value value, const TileProgram &program);

/// Cost of evaluating one element of `value` from materialized values, in
/// element-wise operations; gathered loads cost more, and strided ones if
/// `hasLanes`: vectors are along the last dimension of `value`.
unsigned costOf(mlir::Value value, const TileProgram &program,
                codegen::TileForms &forms, bool hasLanes = false);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_READS_H
