// Session.cpp - the stages of a compilation.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Session.h"

#include "backend/Descriptor.h"
#include "backend/Link.h"
#include "kernel/Input.h"
#include "kernel/LlvmDiagnostics.h"

namespace nereid::cpu {

static llvm::StringRef textOf(nereid_string_t text) {
  return {text.data, text.size};
}

Session::Session(const nereid_cpu_options_t &options) : options(options) {
  config.arch = textOf(options.arch).str();
  config.cpu = textOf(options.cpu).str();
  config.tuneCpu = textOf(options.tune_cpu).str();
  config.features = textOf(options.features).str();
  config.optLevel = options.opt_level;
}

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

void Session::abandon() {
  if (target)
    target->abandon();
  llvmIr.abandon();
  ttir.abandon();
}

llvm::Error Session::run(uint32_t stage, llvm::StringRef input,
                         const Report &report) {
  switch (stage) {
  case NEREID_CPU_STAGE_TTIR:
    return ttir.run(input, report);
  case NEREID_CPU_STAGE_LLIR:
    return llir(input, report);
  case NEREID_CPU_STAGE_ASM:
    return assembly(input, report);
  case NEREID_CPU_STAGE_SO:
    return image(input, report);
  default:
    return llvm::createStringError("there is no stage %u", stage);
  }
}

llvm::Error Session::llir(llvm::StringRef input, const Report &report) {
  GenerateOptions generateOptions;
  generateOptions.machine = (*target)->machine.get();
  generateOptions.cpu =
      describeCpu(*(*target)->machine, (*target)->tuneCpu, options.vector_bits);
  generateOptions.fpFusion = options.fp_fusion;
  generateOptions.reassociate = options.reassociate;
  generateOptions.debugInfo = options.debug_info;
  generateOptions.describesPlan = report.output != nullptr;
  generateOptions.fastPaths = fastPaths;

  KernelInfo info;
  llvm::Error error =
      ttir.generate(input, report, [&](mlir::ModuleOp module) -> llvm::Error {
        llvmIr.clear();
        auto generated =
            generate(module, generateOptions, *llvmIr.context, info);
        if (!generated)
          return generated.takeError();
        llvmIr.module = std::move(*generated);
        return llvm::Error::success();
      });
  if (error)
    return error;
  prepareModule(*llvmIr.module, **target, options.debug_info);
  if (llvm::Error error = llvmIr.verify()) {
    report.diagnose(NEREID_SEVERITY_ERROR, llvm::toString(std::move(error)));
    return llvm::make_error<codegen::RefusedError>(NEREID_INTERNAL);
  }
  attachKernelInfo(*llvmIr.module, info);
  if (llvm::Error error = addMetadata(info, report))
    return error;
  return report.output ? report.write(llvmIr.print(info.tileProgram))
                       : llvm::Error::success();
}

llvm::Error Session::readLlvm(llvm::StringRef input, const Report &report) {
  if (!input.data())
    return llvmIr.module ? llvm::Error::success() : codegen::missingInput();
  if (llvm::Error error = codegen::checkKind(input, codegen::InputKind::LlvmIr))
    return error;
  if (llvm::Error error = llvmIr.parse(input, report))
    return error;
  prepareModule(*llvmIr.module, **target, options.debug_info);
  return llvmIr.verify();
}

llvm::Error Session::assembly(llvm::StringRef input, const Report &report) {
  if (llvm::Error error = readLlvm(input, report))
    return error;
  if (llvm::Error error = addDescriptor(*llvmIr.module))
    return error;
  llvm::Error error = codegen::collectDiagnostics(
      *llvmIr.context, report, [&]() -> llvm::Error {
        (*target)->optimizer->run(*llvmIr.module);
        // Passes of our own are in it: an error is better than a wrong result.
        if (llvm::Error error = llvmIr.verify())
          return error;
        if (!report.output)
          return llvm::Error::success();
        // Code generation uses its module up, and is not cheap: the next stage
        // assembles the text.
        auto text = emitAssembly(*llvmIr.module, **target);
        llvmIr.module.reset();
        if (!text)
          return text.takeError();
        assemblyText = std::move(*text);
        return llvm::Error::success();
      });
  if (error) {
    llvmIr.module.reset();
    assemblyText.reset();
    return error;
  }
  if (!report.output)
    return llvm::Error::success();
  return report.write({assemblyText->data(), assemblyText->size()});
}

llvm::Expected<Bytes> Session::emitModule(const Report &report) {
  Bytes object;
  llvm::Error error = codegen::collectDiagnostics(
      *llvmIr.context, report, [&]() -> llvm::Error {
        auto emitted = emitObject(*llvmIr.module, **target);
        if (!emitted)
          return emitted.takeError();
        object = std::move(*emitted);
        return llvm::Error::success();
      });
  llvmIr.module.reset();
  if (!error)
    return std::move(object);
  // It may have stopped in the middle of a function.
  (*target)->generator.reset();
  return std::move(error);
}

llvm::Error Session::image(llvm::StringRef input, const Report &report) {
  if (!input.data() && assemblyText)
    input = {assemblyText->data(), assemblyText->size()};
  if (!input.data() && !llvmIr.module)
    return codegen::missingInput();
  if (llvm::Error error =
          codegen::checkKind(input, codegen::InputKind::Assembly))
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
  if (llvm::Error error = codegen::reportArguments(info, report))
    return error;
  const std::pair<llvm::StringRef, int64_t> numbers[] = {
      {"scratch", static_cast<int64_t>(info.scratchSize)},
      // Scratch is ordinary memory; nothing on chip is set aside.
      {"shared", 0},
      {"warp_size", 1},
      {"threads", options.threads},
  };
  for (auto [name, value] : numbers)
    if (llvm::Error error = report.add(name, value))
      return error;
  return report.add("cpu_features", (*target)->neededFeatures);
}

} // namespace nereid::cpu
