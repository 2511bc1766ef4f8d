// Part.cpp - the only function that the compiler part exports.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Session.h"

struct nereid_vulkan_session_t : nereid::vulkan::Session {
  using Session::Session;
};

namespace nereid::vulkan {

static nereid_status_t begin(const nereid_vulkan_options_t *options,
                             nereid_vulkan_session_t **outSession,
                             const nereid_call_t *call) {
  auto session = std::make_unique<nereid_vulkan_session_t>(*options);
  nereid_status_t status = session->start(call);
  if (status == NEREID_OK)
    *outSession = session.release();
  return status;
}

static void end(nereid_vulkan_session_t *session) { delete session; }

static nereid_status_t runStage(nereid_vulkan_session_t *session,
                                uint32_t stage, nereid_bytes_t input,
                                const nereid_writer_t *output,
                                const nereid_value_sink_t *metadata,
                                const nereid_call_t *call) {
  return session->runStage(stage, input, output, metadata, call);
}

} // namespace nereid::vulkan

extern "C" NEREID_EXPORT const nereid_vulkan_compiler_t *
nereid_vulkan_compiler() {
  static const nereid_vulkan_compiler_t table = {
      sizeof table, sizeof(nereid_vulkan_options_t), nereid::vulkan::begin,
      nereid::vulkan::end, nereid::vulkan::runStage};
  return &table;
}
