// Session.h - base class of one compilation: runs a stage, reports its error.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_KERNEL_SESSION_H
#define NEREID_CODEGEN_KERNEL_SESSION_H

#include "kernel/Report.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid::codegen {

/// The stages of one compilation; each stores its result for the next. A
/// compiler derives its own session and implements the stages, which return
/// errors; this class reports them and chooses the status. [serial]
class Session {
public:
  virtual ~Session() = default;

  /// run_stage of the ABI.
  nereid_status_t runStage(uint32_t stage, nereid_bytes_t input,
                           const nereid_writer_t *output,
                           const nereid_value_sink_t *metadata,
                           const nereid_call_t *call);

protected:
  /// Runs `work`, reports its error through `report`, and returns the status
  /// of the ABI for it. After a FatalError, abandon() has been called. `use`:
  /// of FirstUse.
  nereid_status_t guard(llvm::function_ref<llvm::Error()> work,
                        const Report &report, uint32_t use = 0);

private:
  /// Runs one stage. `input` without data means the result of the previous
  /// stage in this session.
  virtual llvm::Error run(uint32_t stage, llvm::StringRef input,
                          const Report &report) = 0;
  /// Leaks all objects that LLVM may have been using, without destroying them.
  virtual void abandon() = 0;
};

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_SESSION_H
