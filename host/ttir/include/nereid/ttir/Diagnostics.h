// Diagnostics.h: what MLIR reports, as plain data about a source file.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TTIR_DIAGNOSTICS_H
#define NEREID_TTIR_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"

#include <functional>

namespace nereid::tt {

/// "; did you mean 'a' or 'b'": those of \p names that \p name may be a slip
/// for; nothing if there are none.
std::string didYouMean(llvm::StringRef name,
                       llvm::ArrayRef<llvm::StringRef> names);

/// What \p diag says; if that is that an operation does not exist, the ones
/// whose names are near too.
std::string messageOf(const mlir::Diagnostic &diag);

struct SourceDiagnostic {
  mlir::DiagnosticSeverity severity;
  std::string file;
  /// Both from 1; 0 when the diagnostic is about the file as a whole.
  unsigned line = 0;
  unsigned column = 0;
  std::string message;

  /// `file:line:column: severity: message`
  std::string str() const;
};

/// "error", "warning", "remark" or "note".
llvm::StringRef severityName(mlir::DiagnosticSeverity severity);

using SourceDiagnosticCallback = std::function<void(const SourceDiagnostic &)>;

/// While it lives, receives all that \p context reports: keeps the first error
/// and passes everything on. Locations that lead to no file are named \p name.
class DiagnosticCollector {
public:
  DiagnosticCollector(mlir::MLIRContext &context, llvm::StringRef name,
                      SourceDiagnosticCallback callback);

  /// Reports an error that MLIR did not find.
  void addError(unsigned line, unsigned column, std::string message);

  /// The first error, or \p fallback when there was none.
  llvm::Error takeError(llvm::StringRef fallback);

private:
  void add(mlir::Diagnostic &diag);
  void add(const SourceDiagnostic &diag);

  std::string name;
  SourceDiagnosticCallback callback;
  std::string firstError;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace nereid::tt

#endif // NEREID_TTIR_DIAGNOSTICS_H
