// Diagnostics.cpp: what MLIR reports, as plain data about a source file.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "nereid/ttir/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
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

std::string nereid::tt::didYouMean(StringRef name, ArrayRef<StringRef> names) {
  unsigned limit = std::max<size_t>(1, (name.size() + 1) / 3);
  SmallVector<std::pair<unsigned, StringRef>> near;
  for (StringRef candidate : names) {
    unsigned distance = name.edit_distance(candidate, true, limit);
    if (distance <= limit)
      near.push_back({distance, candidate});
  }
  llvm::sort(near);
  near.truncate(std::min<size_t>(near.size(), 3));
  std::string text;
  for (auto [i, entry] : llvm::enumerate(near))
    text += (i ? " or '" : "; did you mean '") + entry.second.str() + "'";
  return text;
}

std::string nereid::tt::messageOf(const Diagnostic &diag) {
  std::string message = diag.str();
  StringRef text = message;
  bool isUnknown =
      text.starts_with("unregistered operation '") ||
      (text.starts_with("custom op '") && text.ends_with("' is unknown"));
  if (!isUnknown)
    return message;
  StringRef name = text.split('\'').second.split('\'').first;
  SmallVector<StringRef> names;
  for (RegisteredOperationName op :
       diag.getLocation()->getContext()->getRegisteredOperations())
    names.push_back(op.getStringRef());
  return message + didYouMean(name, names);
}

DiagnosticCollector::DiagnosticCollector(MLIRContext &context, StringRef name,
                                         SourceDiagnosticCallback callback)
    : name(name), callback(std::move(callback)),
      handler(&context, [this](Diagnostic &diag) { add(diag); }) {}

void DiagnosticCollector::add(Diagnostic &diag) {
  SourceDiagnostic plain{diag.getSeverity(), name, 0, 0, messageOf(diag)};
  if (auto loc = diag.getLocation()->findInstanceOf<FileLineColLoc>()) {
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
