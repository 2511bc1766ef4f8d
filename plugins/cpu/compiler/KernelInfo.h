// KernelInfo.h - what is known of a generated kernel besides its code.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_KERNELINFO_H
#define NEREID_CPU_COMPILER_KERNELINFO_H

#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace nereid::cpu {

/// The name of the entry function in a generated module; its type is
/// nereid_cpu_entry_t of image.h.
inline constexpr char kEntryName[] = "nereid_cpu_entry";

/// One argument of the packed block.
struct KernelArgument {
  std::string name;
  std::string type; ///< as in the metadata of the ABI: "*f32", "i32", "bf16"
  uint64_t offset = 0;
};

/// The generator fills it in; the frame turns it into the descriptor of the
/// image and into metadata for the host.
struct KernelInfo {
  std::string name;
  std::vector<KernelArgument> arguments;
  uint64_t argumentsSize = 0;
  uint64_t scratchSize = 0; ///< bytes a thread needs
  uint64_t scratchAlign = 64;
  uint32_t flags = 0; ///< NEREID_CPU_KERNEL_* of image.h
  uint64_t bytesPerProgram = 0;
  uint64_t flopsPerProgram = 0;
  std::string tileProgram; ///< as text, for dumps; not in the image
};

/// Writes `info` into `module` as named metadata `nereid.cpu.kernel`, so that
/// LLVM IR as text is complete: a pipeline can start from it.
void attachKernelInfo(llvm::Module &module, const KernelInfo &info);

/// Reads what attachKernelInfo wrote.
llvm::Expected<KernelInfo> readKernelInfo(const llvm::Module &module);

/// Places `types` one after the other in the standard layout of the ABI: each
/// at the next multiple of its size, the block's size rounded up to 8. Sets
/// the offsets and `argumentsSize`.
llvm::Error layOutArguments(KernelInfo &info);

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_KERNELINFO_H
