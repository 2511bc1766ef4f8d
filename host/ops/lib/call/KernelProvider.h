// KernelProvider.h - where the kernels of a selection come from.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_OPS_CALL_KERNEL_PROVIDER_H
#define NEREID_OPS_CALL_KERNEL_PROVIDER_H

#include "call/CallPlan.h"
#include "kernels/KernelMaker.h"

namespace nereid::ops {

/// A kernel that a launch needs.
struct WantedKernel {
  KernelRequest request;
  std::vector<NamedValue> options; // of the compiler
  std::string where;               // its name in messages
};

struct UsableKernel {
  std::shared_ptr<const LoadedKernel> kernel;
  std::vector<KernelArgument> arguments; // in the order of the kernel's
};

class KernelProvider {
public:
  virtual ~KernelProvider() = default;
  virtual Result<UsableKernel> kernel(const WantedKernel &wanted) = 0;
};

/// The value of an option as a compiler reads it.
std::string optionText(const Value &value);

/// What an archive calls a kernel; \p file is its path in the pack. Kernels of
/// different TTIR for several targets have it as their group.
std::string archivedName(const WantedKernel &wanted, const std::string &file);
/// What an archive calls an argument, and back.
std::string archivedArgument(const KernelArgument &argument);
KernelArgument argumentOfArchive(std::string_view name);

/// The compilers of an archive's images: [{"device_type", "id", "version",
/// "build_id", "dependencies"}].
inline constexpr const char *compilersName = "compilers.json";

} // namespace nereid::ops

#endif // NEREID_OPS_CALL_KERNEL_PROVIDER_H
