// Session.cpp - the stages of one compilation.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Session.h"

namespace nereid::vulkan {

nereid_status_t Session::start(const nereid_call_t *call) {
  return guard(
      [&]() -> llvm::Error {
        auto device =
            DeviceModel::parse({options.features.data, options.features.size});
        if (!device)
          return device.takeError();
        generateOptions.device = std::move(*device);
        generateOptions.threads = options.threads;
        generateOptions.accessBytes = options.access_bytes;
        generateOptions.fpFusion = options.fp_fusion;
        generateOptions.stages = options.stages;
        if (!options.matrices)
          generateOptions.device.matrices.clear();
        return llvm::Error::success();
      },
      {nullptr, nullptr, call});
}

llvm::Error Session::run(uint32_t stage, llvm::StringRef input,
                         const Report &report) {
  switch (stage) {
  case NEREID_VULKAN_STAGE_TTIR:
    return ttir.run(input, report);
  case NEREID_VULKAN_STAGE_SPIRV:
    return spirv(input, report);
  default:
    return llvm::createStringError("there is no stage %u", stage);
  }
}

llvm::Error Session::spirv(llvm::StringRef input, const Report &report) {
  GeneratedKernel kernel;
  llvm::Error error =
      ttir.generate(input, report, [&](mlir::ModuleOp module) -> llvm::Error {
        auto generated = generate(module, generateOptions);
        if (!generated)
          return generated.takeError();
        kernel = std::move(*generated);
        return llvm::Error::success();
      });
  if (error)
    return error;
  if (std::string problem = sealImage(kernel.words); !problem.empty()) {
    report.diagnose(NEREID_SEVERITY_ERROR, problem);
    return llvm::make_error<codegen::RefusedError>(NEREID_INTERNAL);
  }
  if (llvm::Error error = addMetadata(kernel, report))
    return error;
  return report.write({reinterpret_cast<const char *>(kernel.words.data()),
                       kernel.words.size() * sizeof kernel.words[0]});
}

llvm::Error Session::addMetadata(const GeneratedKernel &kernel,
                                 const Report &report) const {
  if (!report.metadata)
    return llvm::Error::success();
  if (llvm::Error error = codegen::reportArguments(kernel.info, report))
    return error;
  const std::pair<llvm::StringRef, int64_t> numbers[] = {
      {"shared", kernel.facts.shared},
      {"warp_size", kernel.facts.subgroup},
      {"threads", kernel.facts.workgroup},
  };
  for (auto [name, value] : numbers)
    if (llvm::Error error = report.add(name, value))
      return error;
  return report.add("layouts", kernel.layouts);
}

} // namespace nereid::vulkan
