// Report.h - the destination of a stage's results and messages.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_KERNEL_REPORT_H
#define NEREID_CODEGEN_KERNEL_REPORT_H

#include "nereid/compiler.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace nereid::codegen {

/// The host's side of one run of a stage.
struct Report {
  /// The name of a stage's input in parser messages.
  static constexpr llvm::StringLiteral kInputName = "ttir";

  const nereid_writer_t *output; ///< null if the bytes are not needed
  const nereid_value_sink_t *metadata;
  const nereid_call_t *call;
  mutable bool hasError = false; ///< one was reported

  llvm::Error write(llvm::StringRef bytes) const;

  llvm::Error add(llvm::StringRef name, int64_t value) const;
  llvm::Error add(llvm::StringRef name, llvm::StringRef value) const;
  llvm::Error add(llvm::StringRef name,
                  llvm::ArrayRef<nereid_string_t> values) const;
  llvm::Error add(llvm::StringRef name, llvm::ArrayRef<int64_t> values) const;

  void diagnose(nereid_severity_t severity, llvm::StringRef message,
                llvm::StringRef file = {}, unsigned line = 0,
                unsigned column = 0) const;
};

/// The host's writer or sink failed: its status is returned.
class RefusedError : public llvm::ErrorInfo<RefusedError> {
public:
  explicit RefusedError(nereid_status_t status) : status(status) {}
  void log(llvm::raw_ostream &stream) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  static char ID;
  const nereid_status_t status;
};

inline nereid_string_t borrow(llvm::StringRef text) {
  return {text.data(), text.size()};
}

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_REPORT_H
