// OutOfResources.h - the error of a kernel that does not fit the machine.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_KERNEL_OUTOFRESOURCES_H
#define NEREID_CODEGEN_KERNEL_OUTOFRESOURCES_H

#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

namespace nereid::codegen {

/// A program needs more memory of one kind than available. Another
/// configuration (a smaller block) may fit, so an autotuner can continue.
class OutOfResourcesError : public llvm::ErrorInfo<OutOfResourcesError> {
public:
  /// As in "needs 8 bytes of shared memory", where the words are `what`.
  OutOfResourcesError(uint64_t needed, uint64_t available, std::string what)
      : needed(needed), available(available), what(std::move(what)) {}
  void log(llvm::raw_ostream &stream) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  static char ID;

private:
  uint64_t needed, available;
  std::string what;
};

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_OUTOFRESOURCES_H
