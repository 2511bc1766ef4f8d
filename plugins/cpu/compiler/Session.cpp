// Session.cpp - the stages of a compilation.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Session.h"

#include "kernel/UseChain.h"
#include "backend/Descriptor.h"
#include "kernel/FatalErrors.h"
#include "kernel/LlvmDiagnostics.h"
#include "backend/Input.h"
#include "backend/Link.h"
#include "nereid/ttir/Parse.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/SourceMgr.h"

namespace nereid::cpu {

static llvm::StringRef textOf(nereid_string_t text) {
  return {text.data, text.size};
}

static llvm::StringRef textOf(nereid_bytes_t bytes) {
  return {static_cast<const char *>(bytes.data), bytes.size};
}

Session::Session(const nereid_cpu_options_t &options) : options(options) {
  config.arch = textOf(options.arch).str();
  config.cpu = textOf(options.cpu).str();
  config.tuneCpu = textOf(options.tune_cpu).str();
  config.features = textOf(options.features).str();
  config.optLevel = options.opt_level;
}

Session::~Session() = default;

nereid_status_t Session::start(const nereid_call_t *call) {
  return guard(
      [&]() -> llvm::Error {
        auto paths = FastPaths::parse(textOf(options.fast_paths));
        if (!paths)
          return paths.takeError();
        fastPaths = std::move(*paths);
        auto leased = leaseTarget(config);
        if (!leased)
          return leased.takeError();
        target.emplace(std::move(*leased));
        return llvm::Error::success();
      },
      {nullptr, nullptr, call});
}

nereid_status_t Session::runStage(uint32_t stage, nereid_bytes_t input,
                                  const nereid_writer_t *output,
                                  const nereid_value_sink_t *metadata,
                                  const nereid_call_t *call) {
  if (NEREID_HAS_SLOT(call, cancelled) && call->cancelled(call))
    return NEREID_CANCELLED;
  Report report = {output, metadata, call};
  return guard([&] { return run(stage, input, report); }, report);
}

static nereid_status_t statusOf(const llvm::ErrorInfoBase &problem,
                                bool gaveUp) {
  if (problem.isA<OutOfResourcesError>())
    return NEREID_OUT_OF_RESOURCES;
  if (problem.convertToErrorCode().category() == std::system_category())
    return NEREID_IO_ERROR;
  return gaveUp ? NEREID_INTERNAL : NEREID_INVALID_ARGUMENT;
}

/// Runs `work`, reports its error, and says what status that is.
nereid_status_t Session::guard(llvm::function_ref<llvm::Error()> work,
                               const Report &report) {
  gaveUp = false;
  llvm::Error error = codegen::runGuarded(work, gaveUp);
  if (gaveUp) {
    // These are in the middle of something.
    if (target)
      target->abandon();
    (void)module.release();
    (void)context.release();
  }
  nereid_status_t status = NEREID_OK;
  llvm::handleAllErrors(
      std::move(error),
      [&](const codegen::RefusedError &refused) { status = refused.status; },
      [&](const InputError &wrong) {
        status = NEREID_INVALID_ARGUMENT;
        report.diagnose(NEREID_SEVERITY_ERROR, wrong.text, {}, wrong.line,
                        wrong.column);
      },
      [&](const llvm::ErrorInfoBase &problem) {
        status = statusOf(problem, gaveUp);
        // What was told with its place needs no summary.
        if (!report.hasError || gaveUp)
          report.diagnose(NEREID_SEVERITY_ERROR, problem.message());
      });
  return status;
}

llvm::Error Session::run(uint32_t stage, nereid_bytes_t input,
                         const Report &report) {
  switch (stage) {
  case NEREID_CPU_STAGE_TTIR:
    return ttir(textOf(input), report);
  case NEREID_CPU_STAGE_LLIR:
    return llir(textOf(input), report);
  case NEREID_CPU_STAGE_ASM:
    return assembly(textOf(input), report);
  case NEREID_CPU_STAGE_SO:
    return image(textOf(input), report);
  default:
    return llvm::createStringError("there is no stage %u", stage);
  }
}

/// What a kernel returns would be lost: nobody takes it.
static llvm::Error refuseResults(mlir::ModuleOp module, const Report &report) {
  auto kernel = tt::findKernel(module);
  if (!kernel) { // code generation tells
    llvm::consumeError(kernel.takeError());
    return llvm::Error::success();
  }
  if (kernel->getNumResults() == 0)
    return llvm::Error::success();
  codegen::DiagnosticsToReport diagnostics(*module.getContext(), report);
  mlir::emitError(kernel->getLoc())
      << "kernel '" << kernel->getName()
      << "' returns a value, expected none: a kernel stores its results";
  return llvm::createStringError("the kernel returns a value");
}

/// Generation recurses along chains of operations.
static llvm::Error refuseLongChain(const codegen::UseChain &chain,
                                   const Report &report) {
  if (chain.length <= codegen::kMaxUseChain)
    return llvm::Error::success();
  codegen::DiagnosticsToReport diagnostics(*chain.last->getContext(), report);
  mlir::emitError(chain.last->getLoc())
      << "ends a chain of " << chain.length
      << " operations that use each other's results; at "
         "most "
      << codegen::kMaxUseChain << " are accepted";
  return llvm::createStringError("a chain of operations is too long");
}

llvm::Error Session::readTtir(llvm::StringRef input, const Report &report) {
  if (!input.data()) {
    if (frontend && (*frontend)->module)
      return llvm::Error::success();
    return llvm::createStringError("no input was given, and no stage ran "
                                   "before");
  }
  if (llvm::Error error = checkKind(input, InputKind::Ttir))
    return error;
  if (!frontend)
    frontend.emplace();
  if (llvm::Error error = (*frontend)->parse(input, report))
    return error;
  // The passes would take long, only for the result to be refused.
  if (llvm::Error error = refuseLongChain(
          codegen::longestUseChain(*(*frontend)->module), report))
    return error;
  return refuseResults(*(*frontend)->module, report);
}

llvm::Error Session::ttir(llvm::StringRef input, const Report &report) {
  if (llvm::Error error = readTtir(input, report))
    return error;
  if (llvm::Error error = (*frontend)->runStandardPasses(report))
    return error;
  return report.output ? report.write((*frontend)->print())
                       : llvm::Error::success();
}

/// The tile program as comments, then the module.
static std::string printLlvm(const llvm::Module &module,
                             llvm::StringRef tileProgram) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (llvm::StringRef line : llvm::split(tileProgram.rtrim('\n'), '\n'))
    if (!tileProgram.empty())
      stream << (line.empty() ? ";" : "; ") << line << '\n';
  module.print(stream, nullptr);
  return text;
}

static llvm::Error verify(const llvm::Module &module) {
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (!llvm::verifyModule(module, &stream))
    return llvm::Error::success();
  return llvm::createStringError("the LLVM IR is not valid: " +
                                 llvm::StringRef(problems).split('\n').first);
}

llvm::Error Session::llir(llvm::StringRef input, const Report &report) {
  if (llvm::Error error = readTtir(input, report))
    return error;
  GenerateOptions generateOptions;
  generateOptions.machine = (*target)->machine.get();
  generateOptions.cpu =
      describeCpu(*(*target)->machine, options.vector_bits);
  generateOptions.fpFusion = options.fp_fusion;
  generateOptions.reassociate = options.reassociate;
  generateOptions.debugInfo = options.debug_info;
  generateOptions.fastPaths = fastPaths;

  module.reset();
  context = std::make_unique<llvm::LLVMContext>();
  KernelInfo info;
  codegen::UseChain chain = codegen::longestUseChain(*(*frontend)->module);
  if (llvm::Error error = refuseLongChain(chain, report))
    return error;
  codegen::DiagnosticsToReport diagnostics((*frontend)->context, report);
  llvm::Error error = codegen::runAlongChain(
      chain.length,
      [&]() -> llvm::Error {
        auto generated =
            generate(*(*frontend)->module, generateOptions, *context, info);
        if (!generated)
          return generated.takeError();
        module = std::move(*generated);
        return llvm::Error::success();
      },
      gaveUp);
  if (error)
    return error;
  prepareModule(*module, **target, options.debug_info);
  if (llvm::Error error = verify(*module)) {
    report.diagnose(NEREID_SEVERITY_ERROR, llvm::toString(std::move(error)));
    return llvm::make_error<codegen::RefusedError>(NEREID_INTERNAL);
  }
  attachKernelInfo(*module, info);
  if (llvm::Error error = addMetadata(info, report))
    return error;
  return report.output ? report.write(printLlvm(*module, info.tileProgram))
                       : llvm::Error::success();
}

llvm::Error Session::readLlvm(llvm::StringRef input, const Report &report) {
  if (!input.data()) {
    if (module)
      return llvm::Error::success();
    return llvm::createStringError("no input was given, and no stage ran "
                                   "before");
  }
  if (llvm::Error error = checkKind(input, InputKind::Llvm))
    return error;
  module.reset();
  context = std::make_unique<llvm::LLVMContext>();
  llvm::Error error =
      codegen::collectDiagnostics(*context, report, [&]() -> llvm::Error {
        llvm::SMDiagnostic problem;
        // The parser wants a NUL after the text.
        auto copy = llvm::MemoryBuffer::getMemBufferCopy(input, "llvm.ir");
        module = llvm::parseIR(*copy, problem, *context);
        if (module)
          return llvm::Error::success();
        return llvm::make_error<InputError>(problem.getLineNo(),
                                            problem.getColumnNo() + 1,
                                            problem.getMessage());
      });
  if (error)
    return error;
  prepareModule(*module, **target, options.debug_info);
  return verify(*module);
}

llvm::Error Session::assembly(llvm::StringRef input, const Report &report) {
  if (llvm::Error error = readLlvm(input, report))
    return error;
  if (llvm::Error error = addDescriptor(*module))
    return error;
  llvm::Error error =
      codegen::collectDiagnostics(*context, report, [&]() -> llvm::Error {
        (*target)->optimizer->run(*module);
        if (!report.output)
          return llvm::Error::success();
        // Code generation uses its module up, and is not cheap: the next stage
        // assembles the text.
        auto text = emitAssembly(*module, **target);
        module.reset();
        if (!text)
          return text.takeError();
        assemblyText = std::move(*text);
        return llvm::Error::success();
      });
  if (error) {
    module.reset();
    assemblyText.reset();
    return error;
  }
  if (!report.output)
    return llvm::Error::success();
  return report.write({assemblyText->data(), assemblyText->size()});
}

llvm::Expected<Bytes> Session::emitModule(const Report &report) {
  Bytes object;
  llvm::Error error =
      codegen::collectDiagnostics(*context, report, [&]() -> llvm::Error {
        auto emitted = emitObject(*module, **target);
        if (!emitted)
          return emitted.takeError();
        object = std::move(*emitted);
        return llvm::Error::success();
      });
  module.reset();
  if (!error)
    return std::move(object);
  // It may have stopped in the middle of a function.
  (*target)->generator.reset();
  return std::move(error);
}

llvm::Error Session::image(llvm::StringRef input, const Report &report) {
  if (!input.data() && assemblyText)
    input = {assemblyText->data(), assemblyText->size()};
  if (!input.data() && !module)
    return llvm::createStringError("no input was given, and no stage ran "
                                   "before");
  if (llvm::Error error = checkKind(input, InputKind::Assembly))
    return error;
  auto object = input.data() ? assemble(input, **target) : emitModule(report);
  if (!object)
    return object.takeError();
  auto info = readDescriptor(
      {llvm::StringRef(object->data(), object->size()), "kernel"});
  if (!info)
    return info.takeError();
  auto linked = linkImage(*object, **target);
  if (!linked)
    return linked.takeError();
  if (llvm::Error error = addMetadata(*info, report))
    return error;
  return report.write({linked->data(), linked->size()});
}

llvm::Error Session::addMetadata(const KernelInfo &info,
                                 const Report &report) const {
  if (!report.metadata)
    return llvm::Error::success();
  llvm::SmallVector<nereid_string_t> names, types;
  llvm::SmallVector<int64_t> offsets;
  for (const KernelArgument &argument : info.arguments) {
    names.push_back(codegen::borrow(argument.name));
    types.push_back(codegen::borrow(argument.type));
    offsets.push_back(static_cast<int64_t>(argument.offset));
  }
  const std::pair<llvm::StringRef, int64_t> numbers[] = {
      {"argument_size", static_cast<int64_t>(info.argumentsSize)},
      {"scratch", static_cast<int64_t>(info.scratchSize)},
      // Scratch is ordinary memory; nothing on chip is set aside.
      {"shared", 0},
      {"warp_size", 1},
      {"threads", options.threads},
  };
  llvm::Error error = report.add("name", info.name);
  auto then = [&](llvm::Error next) {
    error = llvm::joinErrors(std::move(error), std::move(next));
  };
  then(report.add("argument_names", names));
  then(report.add("argument_types", types));
  then(report.add("argument_offsets", offsets));
  for (auto [name, value] : numbers)
    then(report.add(name, value));
  then(report.add("cpu_features", (*target)->neededFeatures));
  return error;
}

} // namespace nereid::cpu
