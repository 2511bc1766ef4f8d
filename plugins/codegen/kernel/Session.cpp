// Session.cpp - errors of a stage as diagnostics and statuses of the ABI.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "kernel/Session.h"

#include "kernel/FatalErrors.h"
#include "kernel/ForkSafeMutex.h"
#include "kernel/Input.h"
#include "kernel/OutOfResources.h"

namespace nereid::codegen {

nereid_status_t Session::runStage(uint32_t stage, nereid_bytes_t input,
                                  const nereid_writer_t *output,
                                  const nereid_value_sink_t *metadata,
                                  const nereid_call_t *call) {
  if (NEREID_HAS_SLOT(call, cancelled) && call->cancelled(call))
    return NEREID_CANCELLED;
  Report report = {output, metadata, call};
  llvm::StringRef bytes(static_cast<const char *>(input.data), input.size);
  return guard([&] { return run(stage, bytes, report); }, report, 1 + stage);
}

static nereid_status_t statusOf(const llvm::ErrorInfoBase &problem) {
  if (problem.isA<OutOfResourcesError>())
    return NEREID_OUT_OF_RESOURCES;
  if (problem.convertToErrorCode().category() == std::system_category())
    return NEREID_IO_ERROR;
  return NEREID_INVALID_ARGUMENT;
}

nereid_status_t Session::guard(llvm::function_ref<llvm::Error()> work,
                               const Report &report, uint32_t use) {
  FirstUse first(use);
  nereid_status_t status = NEREID_OK;
  llvm::handleAllErrors(
      runGuarded(work),
      [&](const FatalError &fatal) {
        abandon();
        status = NEREID_INTERNAL;
        report.diagnose(NEREID_SEVERITY_ERROR, fatal.message());
      },
      [&](const RefusedError &refused) { status = refused.status; },
      [&](const InputError &wrong) {
        status = NEREID_INVALID_ARGUMENT;
        report.diagnose(NEREID_SEVERITY_ERROR, wrong.text, {}, wrong.line,
                        wrong.column);
      },
      [&](const llvm::ErrorInfoBase &problem) {
        status = statusOf(problem);
        // An error that was reported with its location needs no summary.
        if (!report.hasError)
          report.diagnose(NEREID_SEVERITY_ERROR, problem.message());
      });
  if (status == NEREID_OK)
    first.finish();
  return status;
}

} // namespace nereid::codegen
