// compiler_table.h - the compiler's table of a plugin whose compiler is in a
// file of its own: options are parsed here, stages run in the compiler part.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_PLUGINS_COMMON_COMPILER_TABLE_H
#define NEREID_PLUGINS_COMMON_COMPILER_TABLE_H

#include "compiler_part.h"
#include "guard.h"

#include <memory>

namespace nereid::plugin {

/// One of the stages of a compiler, in the order of their indices.
struct Stage {
  std::string_view name, input, output, extension;
  uint32_t flags;
};

/// The slots of a plugin's compiler. `Compiler` declares what is its own:
///
///   struct Compiler {
///     using Options = ...;     // checked options
///     using PartOptions = ...; // the same for the compiler part, plain data
///     static constexpr Stage kStages[] = {...};
///     static int32_t scoreTarget(const nereid_target_t &);
///     static nereid_status_t visitOptions(const nereid_option_sink_t *);
///     static nereid_status_t parseOptions(
///         const nereid_state_t &, const nereid_target_t *,
///         const nereid_value_t *, uint64_t count, Options &out,
///         const nereid_call_t *);
///     // Equal for options that lead to the same image.
///     static std::string canonicalText(const Options &);
///     // May point into the options.
///     static PartOptions partOptions(const Options &);
///     // What an image depends on beside the options and the part's build.
///     static std::string furtherDependencies(const nereid_state_t &);
///     // Made for the size of PartOptions.
///     static CompilerPart &part(nereid_state_t &);
///   };
template <typename Compiler> class CompilerSlots {
  using Options = typename Compiler::Options;
  /// What a nereid_options_t is.
  struct Parsed {
    Options values;
    typename Compiler::PartOptions forPart;
  };

  static nereid_status_t scoreTarget(nereid_state_t *,
                                     const nereid_target_t *target,
                                     int32_t *outScore, const nereid_call_t *) {
    *outScore = Compiler::scoreTarget(*target);
    return NEREID_OK;
  }

  static nereid_status_t visitOptions(nereid_state_t *, const nereid_target_t *,
                                      const nereid_option_sink_t *sink,
                                      const nereid_call_t *) {
    return Compiler::visitOptions(sink);
  }

  static nereid_status_t
  parseOptions(nereid_state_t *state, const nereid_target_t *target,
               const nereid_value_t *values, uint64_t count,
               const nereid_writer_t *canonical, nereid_options_t **outOptions,
               const nereid_call_t *call) {
    auto parsed = std::make_unique<Parsed>();
    if (nereid_status_t status = Compiler::parseOptions(
            *state, target, values, count, parsed->values, call))
      return status;
    parsed->forPart = Compiler::partOptions(parsed->values);
    if (nereid_status_t status =
            write(canonical, Compiler::canonicalText(parsed->values)))
      return status;
    *outOptions = reinterpret_cast<nereid_options_t *>(parsed.release());
    return NEREID_OK;
  }

  static nereid_status_t destroyOptions(nereid_state_t *,
                                        nereid_options_t *options,
                                        const nereid_call_t *) {
    delete reinterpret_cast<Parsed *>(options);
    return NEREID_OK;
  }

  static nereid_status_t visitStages(nereid_state_t *, const nereid_options_t *,
                                     const nereid_stage_sink_t *sink,
                                     const nereid_call_t *) {
    for (const Stage &stage : Compiler::kStages) {
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

  static nereid_status_t writeDependencies(nereid_state_t *state,
                                           const nereid_options_t *,
                                           const nereid_writer_t *writer,
                                           const nereid_call_t *) {
    return write(writer, "compiler=" + Compiler::part(*state).buildId() +
                             Compiler::furtherDependencies(*state));
  }

  /// Loads the compiler part.
  static nereid_status_t begin(nereid_state_t *state,
                               const nereid_options_t *options,
                               nereid_session_t **outSession,
                               const nereid_call_t *call) {
    const CompilerFunctions *part = Compiler::part(*state).load(call);
    if (!part)
      return NEREID_UNAVAILABLE;
    return part->begin(&reinterpret_cast<const Parsed *>(options)->forPart,
                       outSession, call);
  }

  static nereid_status_t end(nereid_state_t *state, nereid_session_t *session,
                             const nereid_call_t *) {
    if (session)
      Compiler::part(*state).loaded().end(session);
    return NEREID_OK;
  }

  static nereid_status_t runStage(nereid_state_t *state,
                                  const nereid_stage_input_t *input,
                                  const nereid_writer_t *output,
                                  const nereid_value_sink_t *metadata,
                                  const nereid_call_t *call) {
    return Compiler::part(*state).loaded().runStage(
        input->session, input->index, input->bytes, output, metadata, call);
  }

public:
  static constexpr nereid_compiler_t table() {
    nereid_compiler_t slots = {};
    slots.struct_size = sizeof slots;
    slots.score_target = kGuarded<scoreTarget>;
    slots.visit_options = kGuarded<visitOptions>;
    slots.parse_options = kGuarded<parseOptions>;
    slots.destroy_options = kGuarded<destroyOptions>;
    slots.visit_stages = kGuarded<visitStages>;
    slots.write_dependencies = kGuarded<writeDependencies>;
    slots.begin = kGuarded<begin>;
    slots.end = kGuarded<end>;
    slots.run_stage = kGuarded<runStage>;
    return slots;
  }
};

} // namespace nereid::plugin

#endif // NEREID_PLUGINS_COMMON_COMPILER_TABLE_H
