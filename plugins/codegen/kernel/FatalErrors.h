// FatalErrors.h - LLVM's fatal errors as errors.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_KERNEL_FATALERRORS_H
#define NEREID_CODEGEN_KERNEL_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace nereid::codegen {

/// LLVM gave up in the middle of something: destructors did not run, and what
/// it worked on must be neither used nor destroyed.
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

/// Runs `work`. Where LLVM would end the process in it ("cannot select: ..."),
/// a longjmp() leaves `work`, and the result is a FatalError.
llvm::Error runGuarded(llvm::function_ref<llvm::Error()> work);

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_FATALERRORS_H
