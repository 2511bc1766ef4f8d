// compiler.cpp - the compiler functions of the plugin: options and stages here,
// the implementation in the compiler part.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "compiler.h"

#include "common/guard.h"
#include "options.h"
#include "state.h"

#include <memory>

struct nereid_options_t {
  nereid::vulkan::Options values;
  nereid_vulkan_options_t plain = {};
};

/// Beginning a session loads the compiler part.
struct nereid_session_t {
  const nereid_vulkan_compiler_t *compiler = nullptr;
  nereid_vulkan_session_t *inner = nullptr;
};

namespace nereid::vulkan {

using namespace plugin;

static nereid_status_t scoreTarget(nereid_state_t *,
                                   const nereid_target_t *target,
                                   int32_t *outScore, const nereid_call_t *) {
  *outScore = view(target->backend) == "vulkan" ? 100 : 0;
  return NEREID_OK;
}

static nereid_status_t visitAll(nereid_state_t *, const nereid_target_t *,
                                const nereid_option_sink_t *sink,
                                const nereid_call_t *) {
  return visitOptions(sink);
}

/// Points into `values`.
static nereid_vulkan_options_t plainOptions(const Options &values) {
  nereid_vulkan_options_t plain = {};
  plain.struct_size = sizeof plain;
  plain.threads = values.threads;
  plain.features = text(values.features);
  plain.access_bytes = static_cast<uint32_t>(values.accessBytes);
  plain.fp_fusion = values.enableFpFusion;
  plain.stages = static_cast<uint32_t>(values.numStages);
  plain.matrices = values.matrices;
  return plain;
}

static nereid_status_t parse(nereid_state_t *, const nereid_target_t *target,
                             const nereid_value_t *values, uint64_t count,
                             const nereid_writer_t *canonical,
                             nereid_options_t **outOptions,
                             const nereid_call_t *call) {
  auto options = std::make_unique<nereid_options_t>();
  if (nereid_status_t status =
          parseOptions(target, values, count, options->values, call))
    return status;
  options->plain = plainOptions(options->values);
  if (nereid_status_t status = write(canonical, canonicalText(options->values)))
    return status;
  *outOptions = options.release();
  return NEREID_OK;
}

static nereid_status_t destroyOptions(nereid_state_t *,
                                      nereid_options_t *options,
                                      const nereid_call_t *) {
  delete options;
  return NEREID_OK;
}

static nereid_status_t visitStages(nereid_state_t *, const nereid_options_t *,
                                   const nereid_stage_sink_t *sink,
                                   const nereid_call_t *) {
  struct Stage {
    const char *name, *input, *output, *extension;
    uint32_t flags;
  };
  // In the order of compiler_interface.h.
  static constexpr Stage kStages[NEREID_VULKAN_STAGE_COUNT] = {
      {"ttir", "ttir", "ttir", "ttir", NEREID_STAGE_KEEPS_OUTPUT},
      {"spirv", "ttir", "spirv", "spv", NEREID_STAGE_MAKES_IMAGE},
  };
  for (const Stage &stage : kStages) {
    nereid_stage_t out = {};
    out.struct_size = sizeof out;
    out.flags = stage.flags;
    out.name = text(stage.name);
    out.input_kind = text(stage.input);
    out.output_kind = text(stage.output);
    out.extension = text(stage.extension);
    if (nereid_status_t status = sink->add(sink, &out))
      return status;
  }
  return NEREID_OK;
}

/// The device is in the options' text; the remaining dependency is the build of
/// the compiler part.
static nereid_status_t writeDependencies(nereid_state_t *state,
                                         const nereid_options_t *,
                                         const nereid_writer_t *writer,
                                         const nereid_call_t *) {
  return write(writer, "compiler=" + state->compiler.buildId());
}

static nereid_status_t begin(nereid_state_t *state,
                             const nereid_options_t *options,
                             nereid_session_t **outSession,
                             const nereid_call_t *call) {
  auto session = std::make_unique<nereid_session_t>();
  session->compiler = state->compiler.get(call);
  if (!session->compiler)
    return NEREID_UNAVAILABLE;
  nereid_status_t status =
      session->compiler->begin(&options->plain, &session->inner, call);
  if (status == NEREID_OK)
    *outSession = session.release();
  return status;
}

static nereid_status_t end(nereid_state_t *, nereid_session_t *session,
                           const nereid_call_t *) {
  if (session)
    session->compiler->end(session->inner);
  delete session;
  return NEREID_OK;
}

static nereid_status_t runStage(nereid_state_t *,
                                const nereid_stage_input_t *input,
                                const nereid_writer_t *output,
                                const nereid_value_sink_t *metadata,
                                const nereid_call_t *call) {
  nereid_session_t *session = input->session;
  return session->compiler->run_stage(session->inner, input->index,
                                      input->bytes, output, metadata, call);
}

static nereid_compiler_t makeCompiler() {
  nereid_compiler_t compiler = {};
  compiler.struct_size = sizeof compiler;
  compiler.score_target = kGuarded<scoreTarget>;
  compiler.visit_options = kGuarded<visitAll>;
  compiler.parse_options = kGuarded<parse>;
  compiler.destroy_options = kGuarded<destroyOptions>;
  compiler.visit_stages = kGuarded<visitStages>;
  compiler.write_dependencies = kGuarded<writeDependencies>;
  compiler.begin = kGuarded<begin>;
  compiler.end = kGuarded<end>;
  compiler.run_stage = kGuarded<runStage>;
  return compiler;
}

const nereid_compiler_t kCompiler = makeCompiler();

} // namespace nereid::vulkan
