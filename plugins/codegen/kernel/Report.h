// Report.h - where a stage's results and messages go.
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
  /// What the parser calls a stage's input.
  static constexpr llvm::StringLiteral kInputName = "ttir";

  const nereid_writer_t *output; ///< null if nobody wants the bytes
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

/// Bytes that the host's writer or sink refused: its status is passed on.
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
