// KernelCall.h - a loaded kernel with its arguments in the device's memory.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOLS_KERNELCALL_H
#define NEREID_TOOLS_KERNELCALL_H

#include "ArgumentSpec.h"

namespace nereid::tools {

/// Checks number and types of \p values against what \p function takes;
/// \p name is the kernel's, for the message.
Expected<void> checkArguments(const Function &function, const std::string &name,
                              const std::vector<ArgumentValue> &values);

class KernelCall {
public:
  /// Copies the tensors of \p values to the device and packs the block.
  /// `function` and `values` outlive the call object. Expects that
  /// checkArguments() has passed.
  static Expected<KernelCall> prepare(Backend backend, uint32_t device,
                                      const Function &function,
                                      const std::vector<ArgumentValue> &values);

  /// Puts the tensors back to what they were given as.
  Expected<void> reset();
  /// Allocates scratch memory first, if the kernel needs more of it than the
  /// launches before.
  Expected<void> launch(Function::Grid grid);
  Expected<void> synchronize() const { return backend.synchronize(device); }
  /// The tensor of argument \p index as it is now.
  Expected<Array> read(size_t index) const;

private:
  KernelCall(Backend backend, uint32_t device, const Function &function,
             const std::vector<ArgumentValue> &values)
      : backend(backend), device(device), function(&function), values(&values) {
  }

  Backend backend;
  uint32_t device;
  const Function *function;
  const std::vector<ArgumentValue> *values;
  std::vector<std::optional<Memory>> memory; ///< one an argument
  std::vector<char> block;
  std::optional<Memory> scratch;
};

} // namespace nereid::tools

#endif // NEREID_TOOLS_KERNELCALL_H
