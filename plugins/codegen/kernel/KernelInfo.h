// KernelInfo.h - the metadata of a kernel.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_KERNEL_KERNELINFO_H
#define NEREID_CODEGEN_KERNEL_KERNELINFO_H

#include "common/work_step.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nereid::tt {
class FuncOp;
}

namespace nereid::codegen {

struct Report;

/// One argument of the packed block.
struct KernelArgument {
  std::string name;
  std::string type; ///< as in the metadata of the ABI: "*f32", "i32", "bf16"
  uint64_t offset = 0;
};

/// The work of one program. If the trip count of a loop depends on values of
/// the launch, so does the work, by a formula; if not even they decide it, it
/// is estimated, and `isEstimated` is set.
struct Work {
  std::vector<nereid_work_step_t> formula; ///< if not empty, of bytes and flops
  uint64_t storedStep = 0;       ///< of the formula: leastStoredBytes; 0: none
  uint64_t bytes = 0;            ///< read and written
  uint64_t leastStoredBytes = 0; ///< a loop of unknown trip count runs once
  uint64_t flops = 0;
  uint64_t atomics = 0;     ///< atomic operations, one for each element
  uint64_t atomicsStep = 0; ///< of the formula: atomics; 0: none
  bool isEstimated = false;
  bool communicates = false; ///< with other programs: atomics, volatile loads
  bool mayWait = false; ///< for another program: loops until memory changes
  bool prints = false;
  bool asserts = false;
};

struct KernelInfo {
  std::string name;
  std::vector<KernelArgument> arguments;
  uint64_t argumentsSize = 0;
};

/// Name and arguments of `kernel`. The name of an argument is its location's.
void describeArguments(tt::FuncOp kernel, KernelInfo &info);

/// Lays out the arguments in order, in the standard layout of the ABI:
/// each at the next multiple of its size, the block's size rounded up to 8.
/// Sets the offsets and `argumentsSize`.
llvm::Error layOutArguments(KernelInfo &info);

/// Adds these to the ABI's metadata: name, argument_names, argument_types,
/// argument_offsets, argument_size.
llvm::Error reportArguments(const KernelInfo &info, const Report &report);

/// May a program of `kernel`, whose calls have been inlined, wait for another:
/// does it loop until memory changes?
bool mayWait(tt::FuncOp kernel);

/// The work of one program of `kernel`, whose calls have been inlined and whose
/// arguments `info` lays out.
Work describeWork(tt::FuncOp kernel, const KernelInfo &info);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_KERNELINFO_H
