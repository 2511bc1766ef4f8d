// Session.h - one compilation, from TTIR to an image.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_COMPILER_SESSION_H
#define NEREID_CPU_COMPILER_SESSION_H

#include "../compiler_interface.h"
#include "kernel/Frontend.h"
#include "Generate.h"
#include "KernelInfo.h"
#include "kernel/Report.h"
#include "backend/Emit.h"

namespace nereid::cpu {

using codegen::FrontendLease;
using codegen::Report;

/// The stages in order, each of which keeps its result for the next. A stage
/// that is given bytes starts from them instead.
class Session {
public:
  explicit Session(const nereid_cpu_options_t &options);
  ~Session();

  /// Finds what the options ask for, which only LLVM knows to exist. Errors
  /// are reported through `call`. Once, before any stage.
  nereid_status_t start(const nereid_call_t *call);

  /// Of nereid_cpu_compiler_t. Errors are reported through `call`.
  nereid_status_t runStage(uint32_t stage, nereid_bytes_t input,
                           const nereid_writer_t *output,
                           const nereid_value_sink_t *metadata,
                           const nereid_call_t *call);

private:
  nereid_status_t guard(llvm::function_ref<llvm::Error()> work,
                        const Report &report);
  llvm::Error run(uint32_t stage, nereid_bytes_t input, const Report &report);
  llvm::Error ttir(llvm::StringRef input, const Report &report);
  llvm::Error llir(llvm::StringRef input, const Report &report);
  llvm::Error assembly(llvm::StringRef input, const Report &report);
  llvm::Error image(llvm::StringRef input, const Report &report);

  llvm::Error readTtir(llvm::StringRef input, const Report &report);
  llvm::Error readLlvm(llvm::StringRef input, const Report &report);
  /// The object file of `module`, which is used up.
  llvm::Expected<Bytes> emitModule(const Report &report);
  llvm::Error addMetadata(const KernelInfo &info, const Report &report) const;

  const nereid_cpu_options_t options;
  TargetConfig config;
  FastPaths fastPaths;
  std::optional<TargetLease> target;
  bool gaveUp = false; // LLVM did, in the stage that runs

  // What the last stage left: one of them.
  std::optional<FrontendLease> frontend; // holds the TTIR module
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::optional<Bytes> assemblyText;
};

} // namespace nereid::cpu

#endif // NEREID_CPU_COMPILER_SESSION_H
