// runtime.cpp - errors, buffers and runtimes, for host programs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Runtime.h"
#include "abi/Call.h"
#include "abi/Struct.h"
#include "capi/Handles.h"
#include "plugin/PluginRegistry.h"
#include "support/Error.h"

using namespace nereid::host;

nereid_string_t nereid_error(void) { return borrow(lastError()); }

nereid_status_t nereid_fail(nereid_status_t status, nereid_string_t reasons) {
  try {
    return fail({status, std::string(view(reasons))});
  } catch (...) {
    return failFromException();
  }
}

nereid_string_t nereid_status_name(nereid_status_t status) {
  return borrow(statusName(status));
}

nereid_string_t nereid_version(void) { return borrow(NEREID_VERSION); }

nereid_status_t nereid_buffer_create(nereid_bytes_t bytes,
                                     nereid_buffer_t **out_buffer) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(out_buffer, "out_buffer"); !given)
      return given;
    if (bytes.size && !bytes.data)
      return Failure{NEREID_INVALID_ARGUMENT, "bytes.data is null"};
    std::string_view text(static_cast<const char *>(bytes.data), bytes.size);
    *out_buffer = new nereid_buffer_t{std::string(text)};
    return {};
  });
}

nereid_bytes_t nereid_buffer_bytes(const nereid_buffer_t *buffer) {
  if (!buffer)
    return {};
  return {buffer->bytes.data(), buffer->bytes.size()};
}

void nereid_buffer_destroy(nereid_buffer_t *buffer) { delete buffer; }

nereid_status_t nereid_runtime_create(const nereid_runtime_options_t *options,
                                      nereid_runtime_t **out_runtime) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(out_runtime, "out_runtime"); !given)
      return given;
    Result<std::unique_ptr<nereid_runtime_t>> runtime =
        Runtime::create(options);
    if (!runtime)
      return runtime.failure();
    *out_runtime = runtime->release();
    return {};
  });
}

void nereid_runtime_destroy(nereid_runtime_t *runtime) { delete runtime; }

uint64_t nereid_runtime_candidate_count(const nereid_runtime_t *runtime) {
  return runtime ? runtime->plugins().candidateCount() : 0;
}

nereid_status_t nereid_runtime_candidate(const nereid_runtime_t *runtime,
                                         uint64_t index,
                                         nereid_candidate_t *out_candidate) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(runtime, "runtime"); !given)
      return given;
    const Candidate *candidate = runtime->plugins().candidate(index);
    if (!candidate)
      return Failure{NEREID_NOT_FOUND,
                     "no candidate " + std::to_string(index) +
                         " in the load report, which has " +
                         std::to_string(runtime->plugins().candidateCount())};
    nereid_candidate_t info = {};
    info.struct_size = sizeof info;
    info.loaded = candidate->loaded();
    info.reason = borrow(candidate->code());
    info.path = borrow(candidate->path);
    info.resolved = borrow(candidate->resolved);
    info.id = borrow(candidate->id);
    info.detail = borrow(candidate->detail);
    info.remedy = borrow(candidate->remedy());
    info.winner = borrow(candidate->winner);
    return writeStruct(info, out_candidate);
  });
}

nereid_status_t nereid_runtime_report(const nereid_runtime_t *runtime,
                                      nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(runtime, "runtime"); !given)
      return given;
    return giveText(runtime->plugins().report(), out_json);
  });
}
