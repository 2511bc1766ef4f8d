// LlvmDiagnostics.cpp - a diagnostic handler of an LLVMContext.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernel/LlvmDiagnostics.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>

namespace nereid::codegen {

/// LLVM's text without the position, which only inline assembly has.
static std::string textOf(const llvm::DiagnosticInfo &info) {
  std::string text;
  if (info.getKind() == llvm::DK_SrcMgr) {
    const auto &source =
        static_cast<const llvm::DiagnosticInfoSrcMgr &>(info).getSMDiag();
    text = (source.getMessage() + " in the inline assembly").str();
    if (!source.getLineContents().empty())
      text += " '" + source.getLineContents().trim().str() + "'";
    return text;
  }
  llvm::raw_string_ostream stream(text);
  llvm::DiagnosticPrinterRawOStream printer(stream);
  info.print(printer);
  // The location in a module without source lines.
  llvm::StringRef rest = text;
  rest.consume_front("<unknown>:0:0: ");
  return rest.str();
}

namespace {
class Collector : public llvm::DiagnosticHandler {
public:
  Collector(const Report &report, std::string &firstError)
      : report(report), firstError(firstError) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Error && firstError.empty())
      firstError = textOf(info);
    else if (info.getSeverity() == llvm::DS_Warning)
      report.diagnose(NEREID_SEVERITY_WARNING, "LLVM: " + textOf(info));
    return true;
  }

private:
  const Report &report;
  std::string &firstError;
};
} // namespace

llvm::Error collectDiagnostics(llvm::LLVMContext &context, const Report &report,
                               llvm::function_ref<llvm::Error()> work) {
  std::string firstError;
  context.setDiagnosticHandler(std::make_unique<Collector>(report, firstError));
  llvm::Error error = work();
  context.setDiagnosticHandler(nullptr);
  if (firstError.empty())
    return error;
  llvm::consumeError(std::move(error));
  return llvm::createStringError("LLVM: " + firstError);
}

} // namespace nereid::codegen
