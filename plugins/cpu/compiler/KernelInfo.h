// KernelInfo.h - the metadata of a kernel's image.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_KERNELINFO_H
#define NEREID_CPU_COMPILER_KERNELINFO_H

#include "kernel/KernelInfo.h"

namespace llvm {
class Module;
}

namespace nereid::cpu {

/// The name of the entry function in a generated module; its type is
/// nereid_cpu_entry_t of image.h.
inline constexpr char kEntryName[] = "nereid_cpu_entry";

using codegen::KernelArgument;

/// The generator fills it in; the backend turns it into the descriptor of the
/// image and into metadata for the host.
struct KernelInfo : codegen::KernelInfo {
  uint64_t scratchSize = 0; ///< bytes per thread
  uint64_t scratchAlign = 64;
  uint32_t flags = 0;                   ///< NEREID_CPU_KERNEL_* of image.h
  std::vector<nereid_work_step_t> work; ///< the formula, if there is one
  uint64_t bytesPerProgram = 0;
  uint64_t flopsPerProgram = 0;
  uint64_t streamedBytesPerProgram = 0; ///< 0: no store can bypass the caches
  uint64_t streamedStep = 0; ///< of `work`, that yields as many; 0: none does
  uint64_t atomicsPerProgram = 0; ///< one for each element
  uint64_t atomicsStep = 0; ///< of `work`, that yields as many; 0: none does
  uint64_t parts = 0; ///< that a program can be divided into; 0: it cannot
  std::vector<nereid_work_step_t> partsCondition; ///< a formula
  /// If every id along `disjointAxis` makes this condition not negative,
  /// programs with different ids update different memory by atomic operations.
  std::vector<nereid_work_step_t> disjointCondition;
  uint64_t disjointAxis = 0;
  std::string tileProgram; ///< as text, for dumps; not in the image

  void set(const codegen::Work &work);
};

/// Writes `info` to `module` as named metadata `nereid.cpu.kernel`, so that a
/// compilation can start from LLVM IR text.
void attachKernelInfo(llvm::Module &module, const KernelInfo &info);

/// Reads the metadata that attachKernelInfo wrote.
llvm::Expected<KernelInfo> readKernelInfo(const llvm::Module &module);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_KERNELINFO_H
