// Generate.h - from a TTIR module to LLVM IR in loop form.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_GENERATE_H
#define NEREID_CPU_COMPILER_GENERATE_H

#include "CpuModel.h"
#include "FastPaths.h"
#include "KernelInfo.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace nereid::cpu {

/// The scratch limit of one program: 64 f32 tiles of the largest size. Every
/// thread has its own scratch.
constexpr uint64_t kMaxScratchBytes = uint64_t(256) << 20;

struct GenerateOptions {
  /// CPU, features and data layout of the target; never null.
  const llvm::TargetMachine *machine = nullptr;
  /// describeCpu() of `machine`.
  CpuModel cpu;
  /// May a multiplication and an addition be contracted to a fused one?
  bool fpFusion = true;
  /// May a reduction or scan use several accumulators, or a dot instructions on
  /// several products, so that the order of floating-point operations changes?
  bool reassociate = true;
  /// Emit line tables for the source named by the locations?
  bool debugInfo = false;
  /// Is the tile program wanted as text?
  bool describesPlan = false;
  FastPaths fastPaths;
};

/// Generates the only public function of `module`, which has passed the
/// standard passes. The result has a function `kEntryName` of external
/// linkage; all else is internal, and only symbols of libm are undefined. An
/// unsupported operation is an error that names it; its location has been
/// reported through `module`'s diagnostic engine. Tiles that are too large are
/// a codegen::OutOfResourcesError.
llvm::Expected<std::unique_ptr<llvm::Module>>
generate(mlir::ModuleOp module, const GenerateOptions &options,
         llvm::LLVMContext &context, KernelInfo &info);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_GENERATE_H
