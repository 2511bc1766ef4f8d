// Service.cpp: libnereid-ttir.so, which the host loads on demand.
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "nereid/ttir/service.h"
#include "Describe.h"
#include "Walk.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "nereid/ttir/Parse.h"
#include "nereid/ttir/Passes.h"

#include <mutex>

using namespace mlir;
using namespace nereid::tt;

static StringRef toStringRef(nereid_string_t text) {
  return StringRef(text.data, text.size);
}

static nereid_string_t toString(StringRef text) {
  return {text.data(), text.size()};
}

static nereid_severity_t toSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return NEREID_SEVERITY_ERROR;
  case DiagnosticSeverity::Warning:
    return NEREID_SEVERITY_WARNING;
  case DiagnosticSeverity::Note:
    return NEREID_SEVERITY_NOTE;
  case DiagnosticSeverity::Remark:
    return NEREID_SEVERITY_INFO;
  }
  llvm_unreachable("all severities are listed");
}

namespace {

/// A module that is being worked on, with everything that it needs. Each call
/// has its own, so calls on several threads do not meet.
class Work {
public:
  Work(const nereid_call_t *call, StringRef name)
      : call(call), name(name.empty() ? "ttir" : name),
        context(dialects(), MLIRContext::Threading::DISABLED) {
    context.printOpOnDiagnostic(false);
  }

  bool parse(nereid_bytes_t input) {
    auto parsed = parseTTIR(
        context, StringRef(static_cast<const char *>(input.data), input.size),
        name, {}, [&](const SourceDiagnostic &diag) { report(diag); });
    if (!parsed) {
      llvm::consumeError(parsed.takeError());
      return false;
    }
    module = std::move(*parsed);
    return true;
  }

  bool run(nereid_string_t pipeline) {
    DiagnosticCollector diagnostics(
        context, name, [&](const SourceDiagnostic &diag) { report(diag); });
    PassManager passes(&context);
    if (!pipeline.data)
      addStandardPipeline(passes);
    else if (!addNamed(passes, toStringRef(pipeline), diagnostics))
      return false;
    return succeeded(passes.run(*module));
  }

  ModuleOp getModule() const { return module.get(); }
  StringRef getName() const { return name; }

private:
  static DialectRegistry dialects() {
    DialectRegistry registry;
    registerTTIRDialects(registry);
    return registry;
  }

  bool addNamed(PassManager &passes, StringRef pipeline,
                DiagnosticCollector &diagnostics) {
    if (pipeline.empty())
      return true;
    std::string message;
    llvm::raw_string_ostream stream(message);
    if (succeeded(parsePassPipeline(pipeline, passes, stream)))
      return true;
    diagnostics.addError(0, 0, StringRef(message).trim().str());
    return false;
  }

  void report(const SourceDiagnostic &diag) const {
    nereid_diagnostic_t plain = {};
    plain.struct_size = sizeof(plain);
    plain.severity = toSeverity(diag.severity);
    plain.message = ::toString(diag.message);
    plain.file = ::toString(diag.file);
    plain.line = diag.line;
    plain.column = diag.column;
    call->report(call, &plain);
  }

  const nereid_call_t *call;
  std::string name;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

} // namespace

static nereid_status_t write(const nereid_writer_t *output, StringRef text) {
  return output->write(output, text.data(), text.size());
}

static nereid_status_t normalize(const nereid_call_t *call,
                                 nereid_string_t name, nereid_bytes_t input,
                                 nereid_string_t passes,
                                 const nereid_writer_t *output) noexcept {
  Work work(call, toStringRef(name));
  if (!work.parse(input) || !work.run(passes))
    return NEREID_INVALID_ARGUMENT;
  std::string text;
  llvm::raw_string_ostream stream(text);
  printTTIR(work.getModule(), stream, OpPrintingFlags().enableDebugInfo());
  return write(output, text);
}

static nereid_status_t describe(const nereid_call_t *call, nereid_string_t name,
                                nereid_bytes_t input,
                                const nereid_writer_t *output) noexcept {
  Work work(call, toStringRef(name));
  if (!work.parse(input))
    return NEREID_INVALID_ARGUMENT;
  return write(output, describeModule(work.getModule()));
}

static nereid_status_t walk(const nereid_call_t *call, nereid_string_t name,
                            nereid_bytes_t input, nereid_string_t passes,
                            const nereid_ttir_visitor_t *visitor) noexcept {
  Work work(call, toStringRef(name));
  if (!work.parse(input) || !work.run(passes))
    return NEREID_INVALID_ARGUMENT;
  return walkModule(work.getModule(), work.getName(), *visitor);
}

extern "C" __attribute__((visibility("default"))) void
nereid_ttir_service_1(nereid_ttir_service_t *out_service) {
  static std::once_flag once;
  std::call_once(once, [] {
    registerTransformsPasses();
    registerTTIRPasses();
  });
  nereid_ttir_service_t service = {};
  service.normalize = normalize;
  service.describe = describe;
  service.walk = walk;
  service.struct_size = out_service->struct_size;
  memcpy(out_service, &service,
         std::min<size_t>(out_service->struct_size, sizeof(service)));
}
