// Session.h - the stages of one compilation.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_VULKAN_COMPILER_SESSION_H
#define NEREID_VULKAN_COMPILER_SESSION_H

#include "../compiler_interface.h"
#include "Generate.h"
#include "kernel/Session.h"
#include "kernel/TtirStage.h"

namespace nereid::vulkan {

using codegen::Report;

class Session : public codegen::Session {
public:
  explicit Session(const nereid_vulkan_options_t &options) : options(options) {}

  /// Reads the target. Errors are reported through `call`. Once, before any
  /// stage.
  nereid_status_t start(const nereid_call_t *call);

private:
  llvm::Error run(uint32_t stage, llvm::StringRef input,
                  const Report &report) override;
  void abandon() override { ttir.abandon(); }

  llvm::Error spirv(llvm::StringRef input, const Report &report);
  llvm::Error addMetadata(const GeneratedKernel &kernel,
                          const Report &report) const;

  const nereid_vulkan_options_t options;
  GenerateOptions generateOptions;
  codegen::TtirStage ttir;
};

} // namespace nereid::vulkan

#endif // NEREID_VULKAN_COMPILER_SESSION_H
