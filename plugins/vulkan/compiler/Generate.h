// Generate.h - one kernel: from its TTIR to a SPIR-V module.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_COMPILER_GENERATE_H
#define NEREID_VULKAN_COMPILER_GENERATE_H

#include "../image.h"
#include "DeviceModel.h"
#include "kernel/KernelInfo.h"
#include "spirv/Words.h"

#include "mlir/IR/BuiltinOps.h"

namespace nereid::vulkan {

struct GenerateOptions {
  DeviceModel device;
  unsigned threads = 128; ///< of a workgroup, a power of two
  unsigned accessBytes = 16;
  bool fpFusion = true;
  unsigned stages = 2; ///< of loops around products; 1: loads do not run ahead
};

struct GeneratedKernel {
  codegen::KernelInfo info;
  ImageFacts facts;
  std::string layouts; ///< of all tiles, for people
  spirv::Words words;  ///< without a digest
};

/// The only kernel of `module`, which does not change. Errors that have a
/// location are reported as diagnostics of its context.
llvm::Expected<GeneratedKernel> generate(mlir::ModuleOp module,
                                         const GenerateOptions &options);

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_COMPILER_GENERATE_H
