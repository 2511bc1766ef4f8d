// Session.h - one compilation, from TTIR to an image.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_SESSION_H
#define NEREID_CPU_COMPILER_SESSION_H

#include "../compiler_interface.h"
#include "Generate.h"
#include "KernelInfo.h"
#include "backend/Emit.h"
#include "kernel/LlvmModule.h"
#include "kernel/Session.h"
#include "kernel/TtirStage.h"

namespace nereid::cpu {

using codegen::Report;

/// The stages in order, each of which keeps its result for the next. A stage
/// that is given bytes starts from them instead.
class Session : public codegen::Session {
public:
  explicit Session(const nereid_cpu_options_t &options);

  /// Finds what the options ask for, which only LLVM knows to exist. Errors
  /// are reported through `call`. Once, before any stage.
  nereid_status_t start(const nereid_call_t *call);

private:
  llvm::Error run(uint32_t stage, llvm::StringRef input,
                  const Report &report) override;
  void abandon() override;

  llvm::Error llir(llvm::StringRef input, const Report &report);
  llvm::Error assembly(llvm::StringRef input, const Report &report);
  llvm::Error image(llvm::StringRef input, const Report &report);

  llvm::Error readLlvm(llvm::StringRef input, const Report &report);
  /// The object file of `llvmIr`, which is used up.
  llvm::Expected<Bytes> emitModule(const Report &report);
  llvm::Error addMetadata(const KernelInfo &info, const Report &report) const;

  const nereid_cpu_options_t options;
  TargetConfig config;
  FastPaths fastPaths;
  std::optional<TargetLease> target;

  // What the last stage left: one of them.
  codegen::TtirStage ttir;
  codegen::LlvmModule llvmIr;
  std::optional<Bytes> assemblyText;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_SESSION_H
