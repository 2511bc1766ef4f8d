// Diagnostics.cpp: what MLIR reports, as plain data about a source file.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "nereid/ttir/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/Errc.h"

using namespace mlir;
using namespace nereid::tt;

StringRef nereid::tt::severityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("all severities are listed");
}

/// `file:line:column`, or the file alone.
static std::string placeOf(const SourceDiagnostic &diag) {
  if (diag.line == 0)
    return diag.file;
  return (Twine(diag.file) + ":" + Twine(diag.line) + ":" + Twine(diag.column))
      .str();
}

std::string SourceDiagnostic::str() const {
  return (Twine(placeOf(*this)) + ": " + severityName(severity) + ": " +
          message)
      .str();
}

/// Where \p loc is in a file; Triton's locations wrap that in names, calls and
/// fusions.
static FileLineColLoc findFileLocation(Location loc) {
  FileLineColLoc found;
  loc->walk([&](Location inner) {
    found = dyn_cast<FileLineColLoc>(inner);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

DiagnosticCollector::DiagnosticCollector(MLIRContext &context, StringRef name,
                                         SourceDiagnosticCallback callback)
    : name(name), callback(std::move(callback)),
      handler(&context, [this](Diagnostic &diag) { add(diag); }) {}

void DiagnosticCollector::add(Diagnostic &diag) {
  SourceDiagnostic plain{diag.getSeverity(), name, 0, 0, diag.str()};
  if (FileLineColLoc loc = findFileLocation(diag.getLocation())) {
    plain.file = loc.getFilename().str();
    plain.line = loc.getLine();
    plain.column = loc.getColumn();
  }
  add(plain);
  for (Diagnostic &note : diag.getNotes())
    add(note);
}

void DiagnosticCollector::add(const SourceDiagnostic &diag) {
  if (diag.severity == DiagnosticSeverity::Error && firstError.empty())
    firstError = (Twine(placeOf(diag)) + ": " + diag.message).str();
  if (callback)
    callback(diag);
}

void DiagnosticCollector::addError(unsigned line, unsigned column,
                                   std::string message) {
  add(SourceDiagnostic{DiagnosticSeverity::Error, name, line, column,
                       std::move(message)});
}

llvm::Error DiagnosticCollector::takeError(StringRef fallback) {
  if (firstError.empty())
    firstError = (Twine(name) + ": " + fallback).str();
  return llvm::createStringError(llvm::errc::invalid_argument, firstError);
}
