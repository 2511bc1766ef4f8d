// FatalErrors.h - LLVM's fatal errors as errors.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_KERNEL_FATALERRORS_H
#define NEREID_CODEGEN_KERNEL_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace nereid::codegen {

/// A fatal error inside LLVM: destructors did not run, and the objects that
/// LLVM was using must be neither used nor destroyed.
class FatalError : public llvm::ErrorInfo<FatalError> {
public:
  explicit FatalError(std::string text) : text(std::move(text)) {}
  void log(llvm::raw_ostream &stream) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  static char ID;

private:
  std::string text;
};

/// Runs `work`. Where LLVM would exit the process ("cannot select: ..."),
/// a longjmp() leaves `work`, and the result is a FatalError.
llvm::Error runGuarded(llvm::function_ref<llvm::Error()> work);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_FATALERRORS_H
