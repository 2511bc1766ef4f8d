// Pipeline.h - loads that run ahead of the products which read them.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_GPU_PIPELINE_H
#define NEREID_CODEGEN_GPU_PIPELINE_H

#include "nereid/ttir/Dialect.h"

namespace nereid::codegen::gpu {

struct PipelineOptions {
  unsigned threads = 128; ///< of a workgroup
  /// Of loaded tiles that a loop may carry in the registers of one thread.
  unsigned bytesPerThread = 256;
};

/// Rewrites each scf.for whose loads feed a product: the loads of an iteration
/// are issued in the one before it, ahead of that one's product, and carried.
/// In the last iteration they read once more what the iteration itself read,
/// so that no other address is touched; those of the first are in front of the
/// loop, if it has one. Loops that write to memory or wait for others, volatile
/// loads, and loads whose addresses depend on other loads of the loop stay as
/// they are. Returns how many loads run ahead. After scalarizeInductions().
unsigned pipelineLoads(tt::FuncOp kernel, const PipelineOptions &options);

} // namespace nereid::codegen::gpu

#endif // NEREID_CODEGEN_GPU_PIPELINE_H
