// compiler.cpp - the compiler functions of the plugin. Options and stages are
// what the installed Triton says; a worker runs the stages.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "common/values.h"
#include "slots.h"
#include "state.h"

#include <algorithm>
#include <atomic>
#include <charconv>

struct nereid_options_t {
  nereid::triton::TargetName target;
  std::shared_ptr<const nereid::triton::Facts> facts;
  nereid::worker::Json values;
  size_t stageCount = 0; // up to the image that is wanted
  // Whether Triton has accepted them.
  mutable std::atomic<bool> isChecked = false;
};

/// Nothing is kept between stages: any worker runs any of them.
struct nereid_session_t {};

namespace nereid::triton {

using namespace plugin;
using worker::Blob;
using worker::Json;
using worker::Message;

TargetName nameOf(const nereid_target_t *target) {
  return {std::string(view(target->backend)), std::string(view(target->arch)),
          target->warp_size};
}

static nereid_status_t scoreTarget(nereid_state_t *state,
                                   const nereid_target_t *target,
                                   int32_t *outScore, const nereid_call_t *) {
  // Also without a Triton: the error of a compilation says what to install.
  std::string backend(view(target->backend));
  *outScore = state->backend.supports(backend) ? 100 : 0;
  return NEREID_OK;
}

// ---------------------------------------------------------------- options
static nereid_status_t visitOptions(nereid_state_t *state,
                                    const nereid_target_t *target,
                                    const nereid_option_sink_t *sink,
                                    const nereid_call_t *call) {
  auto facts = state->installed.facts(nameOf(target), call);
  for (const Option &option : facts->options) {
    std::vector<nereid_string_t> choices = textsOf(option.choices);
    nereid_option_t out = {};
    out.struct_size = sizeof out;
    out.type = option.type;
    out.name = text(option.name);
    out.doc = text(option.doc);
    out.default_value = text(option.defaultValue);
    out.choices = choices.data();
    out.choice_count = choices.size();
    if (nereid_status_t status = sink->add(sink, &out))
      return status;
  }
  return NEREID_OK;
}

// `given` as text of an option of type `type`.
static Json valueOfText(const Option &option, std::string_view given) {
  const char *end = given.data() + given.size();
  if (option.type == NEREID_TYPE_I64) {
    int64_t number = 0;
    auto [at, error] = std::from_chars(given.data(), end, number);
    if (error == std::errc() && at == end)
      return number;
  } else if (option.type == NEREID_TYPE_F64) {
    double number = 0;
    auto [at, error] = std::from_chars(given.data(), end, number);
    if (error == std::errc() && at == end)
      return number;
  } else if (option.type == NEREID_TYPE_BOOL) {
    if (given == "true" || given == "1" || given == "false" || given == "0")
      return given == "true" || given == "1";
  } else {
    return given;
  }
  throw Failure(NEREID_INVALID_ARGUMENT, "option " + option.name + ": '" +
                                             std::string(given) +
                                             "' is not of its type");
}

static Json valueOf(const Option &option, const nereid_value_t &given) {
  if (given.type == NEREID_TYPE_STRING)
    return valueOfText(option, view(given.text));
  if (option.type == NEREID_TYPE_F64)
    return given.type == NEREID_TYPE_F64 ? given.f64
                                         : static_cast<double>(given.i64);
  bool isNumber =
      given.type == NEREID_TYPE_I64 || given.type == NEREID_TYPE_BOOL;
  if (option.type == NEREID_TYPE_I64 && isNumber)
    return given.i64;
  if (option.type == NEREID_TYPE_BOOL && isNumber)
    return given.i64 != 0;
  throw Failure(NEREID_INVALID_ARGUMENT,
                "option " + option.name + ": a value of another type");
}

// The number of stages up to the one that option `image` names.
static size_t countStages(const Facts &facts, const Json &values) {
  auto image = values.find("image");
  for (size_t i = 0; image != values.end() && i < facts.stages.size(); ++i)
    if (*image == facts.stages[i].name)
      return i + 1;
  return facts.stages.size();
}

static nereid_status_t parse(nereid_state_t *state,
                             const nereid_target_t *target,
                             const nereid_value_t *values, uint64_t count,
                             const nereid_writer_t *canonical,
                             nereid_options_t **outOptions,
                             const nereid_call_t *call) {
  auto options = std::make_unique<nereid_options_t>();
  options->target = nameOf(target);
  options->facts = state->installed.facts(options->target, call);
  const Facts &facts = *options->facts;
  options->values = Json::object();
  for (const Option &option : facts.options)
    options->values[option.name] = valueOfText(option, option.defaultValue);
  for (uint64_t i = 0; i < count; ++i) {
    std::string_view name = view(values[i].name);
    const Option *option = facts.option(name);
    if (!option) {
      std::string names;
      for (const Option &each : facts.options)
        names += (names.empty() ? "" : ", ") + each.name;
      throw Failure(NEREID_INVALID_ARGUMENT,
                    "unknown option '" + std::string(name) + "' of Triton " +
                        facts.version + ", expected one of: " + names);
    }
    Json value = valueOf(*option, values[i]);
    if (!option->choices.empty() &&
        std::ranges::none_of(option->choices, [&](const std::string &choice) {
          return value == choice;
        }))
      throw Failure(NEREID_INVALID_ARGUMENT, "option " + option->name + ": " +
                                                 value.dump() +
                                                 " is not a legal value");
    options->values[option->name] = std::move(value);
  }
  options->stageCount = countStages(facts, options->values);
  if (nereid_status_t status = write(
          canonical,
          options->values.dump(-1, ' ', false, Json::error_handler_t::replace)))
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

// ---------------------------------------------------------------- stages
static nereid_status_t visitStages(nereid_state_t *,
                                   const nereid_options_t *options,
                                   const nereid_stage_sink_t *sink,
                                   const nereid_call_t *) {
  for (size_t i = 0; i < options->stageCount; ++i) {
    const Stage &stage = options->facts->stages[i];
    nereid_stage_t out = {};
    out.struct_size = sizeof out;
    out.flags = stage.isImage ? NEREID_STAGE_MAKES_IMAGE : 0;
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
                                         const nereid_options_t *options,
                                         const nereid_writer_t *writer,
                                         const nereid_call_t *) {
  std::string all = "triton=" + options->facts->version +
                    ";key=" + options->facts->key +
                    ";worker=" + state->installed.workerDigest();
  if (!state->backend.name.empty())
    all += ";class=" + state->backend.name;
  for (const std::string &variable : state->settings.relevant)
    all += ';' + variable;
  return write(writer, all);
}

// Options that only Triton can judge are refused here.
static nereid_status_t begin(nereid_state_t *state,
                             const nereid_options_t *options,
                             nereid_session_t **outSession,
                             const nereid_call_t *call) {
  if (!options->isChecked) {
    Message request;
    request.header = options->target.json();
    request.header["request"] = "check";
    request.header["options"] = options->values;
    state->installed.ask(std::move(request), call);
    options->isChecked = true;
  }
  *outSession = new nereid_session_t;
  return NEREID_OK;
}

static nereid_status_t end(nereid_state_t *, nereid_session_t *session,
                           const nereid_call_t *) {
  delete session;
  return NEREID_OK;
}

// ---------------------------------------------------------------- metadata
// One value of the metadata, [type, value].
static void addValue(ValueWriter &writer, std::string_view name,
                     const Json &typed) {
  std::string type = typed.at(0).get<std::string>();
  const Json &value = typed.at(1);
  if (type == "i64") {
    writer.addInteger(name, value.get<int64_t>());
  } else if (type == "bool") {
    writer.addBool(name, value.get<bool>());
  } else if (type == "string") {
    writer.addString(name, value.get<std::string>());
  } else if (type == "string_list") {
    auto strings = value.get<std::vector<std::string>>();
    writer.addList(name, textsOf(strings));
  } else if (type == "i64_list") {
    writer.addList(name, value.get<std::vector<int64_t>>());
  } else {
    throw Failure(NEREID_INTERNAL,
                  "the worker describes the kernel with a value of type '" +
                      type + "', which is not known");
  }
}

static nereid_status_t addMetadata(const nereid_value_sink_t *sink,
                                   const Json &metadata) {
  ValueWriter writer(sink);
  try {
    for (const auto &[name, typed] : metadata.items())
      addValue(writer, name, typed);
  } catch (const Json::exception &error) {
    throw Failure(NEREID_INTERNAL,
                  std::string("the worker describes the kernel in a way that "
                              "is not understood: ") +
                      error.what());
  }
  return writer.status();
}

static nereid_status_t runStage(nereid_state_t *state,
                                const nereid_stage_input_t *input,
                                const nereid_writer_t *output,
                                const nereid_value_sink_t *metadata,
                                const nereid_call_t *call) {
  const nereid_options_t &options = *input->options;
  if (input->index >= options.stageCount)
    throw Failure(NEREID_INVALID_ARGUMENT,
                  "there is no stage " + std::to_string(input->index));
  Message request;
  request.header = options.target.json();
  request.header["request"] = "stage";
  request.header["options"] = options.values;
  request.header["stage"] = options.facts->stages[input->index].name;
  request.blobs.push_back(
      {"input", std::string(static_cast<const char *>(input->bytes.data),
                            input->bytes.size)});
  Message answer = state->installed.ask(std::move(request), call);
  const std::string *made = answer.blob("output");
  if (!made)
    throw Failure(NEREID_INTERNAL, "the worker's answer has no output");
  if (auto found = answer.header.find("metadata"); found != answer.header.end())
    if (nereid_status_t status = addMetadata(metadata, *found))
      return status;
  return output ? write(output, *made) : NEREID_OK;
}

static nereid_compiler_t makeCompiler() {
  nereid_compiler_t compiler = {};
  compiler.struct_size = sizeof compiler;
  compiler.score_target = kSlot<scoreTarget>;
  compiler.visit_options = kSlot<visitOptions>;
  compiler.parse_options = kSlot<parse>;
  compiler.destroy_options = kSlot<destroyOptions>;
  compiler.visit_stages = kSlot<visitStages>;
  compiler.write_dependencies = kSlot<writeDependencies>;
  compiler.begin = kSlot<begin>;
  compiler.end = kSlot<end>;
  compiler.run_stage = kSlot<runStage>;
  return compiler;
}

const nereid_compiler_t kCompiler = makeCompiler();

} // namespace nereid::triton
