// Streams.h - stores that may bypass the caches.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_PLAN_STREAMS_H
#define NEREID_CPU_COMPILER_PLAN_STREAMS_H

#include "plan/TileProgram.h"

namespace nereid::cpu {

/// The argument of the kernel that the addresses `pointers` are computed from;
/// null if it is not known.
mlir::Value argumentOf(mlir::Value pointers, codegen::TileForms &forms);

/// Sets Root::canStream of the stores that write rows of whole cache lines that
/// `program` does not read. The driver decides at each launch whether they
/// bypass the caches. Returns false if there is none.
bool planStreams(TileProgram &program, codegen::TileForms &forms,
                 const GenerateOptions &options);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_PLAN_STREAMS_H
