// Part.h - the functions of a compiler part, for its kind of session.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CODEGEN_KERNEL_PART_H
#define NEREID_CODEGEN_KERNEL_PART_H

#include "common/compiler_functions.h"
#include "kernel/ForkSafeMutex.h"
#include "kernel/Session.h"

#include <memory>

namespace nereid::codegen {

/// What nereid_compiler_part() of a part returns. \p SessionType, a Session, is
/// constructed from \p Options, then started: `start(call)`.
template <typename SessionType, typename Options>
const plugin::CompilerFunctions *compilerFunctions() {
  static constexpr plugin::CompilerFunctions functions = {
      sizeof functions,
      sizeof(Options),
      [](const void *options, nereid_session_t **outSession,
         const nereid_call_t *call) {
        auto session = std::make_unique<SessionType>(
            *static_cast<const Options *>(options));
        nereid_status_t status = session->start(call);
        if (status == NEREID_OK)
          *outSession = reinterpret_cast<nereid_session_t *>(
              static_cast<Session *>(session.release()));
        return status;
      },
      [](nereid_session_t *session) {
        delete reinterpret_cast<Session *>(session);
      },
      [](nereid_session_t *session, uint32_t stage, nereid_bytes_t input,
         const nereid_writer_t *output, const nereid_value_sink_t *metadata,
         const nereid_call_t *call) {
        return reinterpret_cast<Session *>(session)->runStage(
            stage, input, output, metadata, call);
      },
      ForkSafeMutex::lockAll,
      ForkSafeMutex::unlockAll};
  return &functions;
}

} // namespace nereid::codegen

#endif // NEREID_CODEGEN_KERNEL_PART_H
