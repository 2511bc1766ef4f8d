// Frontend.cpp - parsing and printing TTIR.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernel/Frontend.h"

#include "kernel/ForkSafeMutex.h"

#include "nereid/ttir/Diagnostics.h"
#include "nereid/ttir/Parse.h"
#include "nereid/ttir/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

namespace nereid::codegen {

// A context never frees types and attributes.
static constexpr unsigned kUsesOfAContext = 256;

static mlir::DialectRegistry makeRegistry() {
  mlir::DialectRegistry registry;
  tt::registerTTIRDialects(registry);
  return registry;
}

Frontend::Frontend()
    : context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED),
      passes(&context) {
  context.loadAllAvailableDialects();
  passes.enableVerifier(false);
  tt::addStandardPipeline(passes);
}

static nereid_severity_t severityOf(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return NEREID_SEVERITY_ERROR;
  case mlir::DiagnosticSeverity::Warning:
    return NEREID_SEVERITY_WARNING;
  case mlir::DiagnosticSeverity::Note:
    return NEREID_SEVERITY_NOTE;
  case mlir::DiagnosticSeverity::Remark:
    return NEREID_SEVERITY_INFO;
  }
  return NEREID_SEVERITY_INFO;
}

llvm::Error Frontend::parse(llvm::StringRef bytes, const Report &report) {
  module = nullptr;
  auto parsed = tt::parseTTIR(
      context, bytes, Report::kInputName, tt::ParseLimits(),
      [&](const tt::SourceDiagnostic &diagnostic) {
        report.diagnose(severityOf(diagnostic.severity), diagnostic.message,
                        diagnostic.file, diagnostic.line, diagnostic.column);
      });
  if (!parsed)
    return parsed.takeError();
  module = std::move(*parsed);
  return llvm::Error::success();
}

llvm::Error Frontend::runStandardPasses(const Report &report) {
  DiagnosticsToReport diagnostics(context, report);
  if (mlir::succeeded(passes.run(*module)))
    return llvm::Error::success();
  return llvm::createStringError("the standard passes failed");
}

std::string Frontend::print() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo(true);
  tt::printTTIR(*module, stream, flags);
  return text;
}

namespace {
struct Pool {
  std::vector<std::unique_ptr<Frontend>> idle;
};
} // namespace

static ForkSafeMutex poolMutex;

/// Never destroyed: MLIR's own statics may be destroyed first.
static Pool &pool() {
  static Pool *instance = new Pool;
  return *instance;
}

FrontendLease::FrontendLease() {
  {
    std::lock_guard lock(poolMutex);
    if (!pool().idle.empty()) {
      frontend = std::move(pool().idle.back());
      pool().idle.pop_back();
    }
  }
  if (!frontend)
    frontend = std::make_unique<Frontend>();
  ++frontend->uses;
}

FrontendLease::~FrontendLease() {
  if (!frontend || frontend->uses >= kUsesOfAContext)
    return;
  frontend->module = nullptr;
  std::lock_guard lock(poolMutex);
  pool().idle.push_back(std::move(frontend));
}

static void send(const mlir::Diagnostic &diagnostic, const Report &report) {
  auto place = diagnostic.getLocation()->findInstanceOf<mlir::FileLineColLoc>();
  std::string message = tt::messageOf(diagnostic);
  if (place)
    report.diagnose(severityOf(diagnostic.getSeverity()), message,
                    place.getFilename(), place.getLine(), place.getColumn());
  else
    report.diagnose(severityOf(diagnostic.getSeverity()), message);
}

DiagnosticsToReport::DiagnosticsToReport(mlir::MLIRContext &context,
                                         const Report &report)
    : handler(&context, [&report](mlir::Diagnostic &diagnostic) {
        send(diagnostic, report);
        for (const mlir::Diagnostic &note : diagnostic.getNotes())
          send(note, report);
        return mlir::success();
      }) {}

} // namespace nereid::codegen
