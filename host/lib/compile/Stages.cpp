// Stages.cpp - reads the stage list of a compiler and checks that it is one.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/Call.h"
#include "abi/Struct.h"
#include "compile/Pipeline.h"
#include "support/Json.h"
#include "text/Suggestions.h"

namespace nereid::host {

namespace {
/// Copies what a plugin adds.
struct StageSink {
  explicit StageSink(Call &call) : call(call) {}

  nereid_stage_sink_t sink{sizeof(nereid_stage_sink_t), 0, this, add};
  Call &call;
  std::vector<Stage> stages;

  static nereid_status_t add(const nereid_stage_sink_t *sink,
                             const nereid_stage_t *stage) noexcept;
};
} // namespace

nereid_status_t StageSink::add(const nereid_stage_sink_t *sink,
                               const nereid_stage_t *stage) noexcept {
  StageSink &self = *static_cast<StageSink *>(sink->user);
  try {
    if (!stage || !NEREID_HAS(stage, output_kind))
      return self.call.refuseMalformed("a stage has no kind of output");
    nereid_stage_t given = readStruct(*stage);
    Stage copy;
    copy.name = view(given.name);
    copy.inputKind = view(given.input_kind);
    copy.outputKind = view(given.output_kind);
    copy.extension = view(given.extension);
    copy.keepsOutput = given.flags & NEREID_STAGE_KEEPS_OUTPUT;
    copy.makesImage = given.flags & NEREID_STAGE_MAKES_IMAGE;
    self.stages.push_back(std::move(copy));
    return NEREID_OK;
  } catch (...) {
    return self.call.refuseForMemory();
  }
}

static std::string checkStages(const std::vector<Stage> &stages) {
  if (stages.empty())
    return "has no stages, expected at least one";
  for (size_t i = 0; i < stages.size(); ++i) {
    const Stage &stage = stages[i];
    if (stage.name.empty())
      return "stage " + std::to_string(i) + " has no name";
    for (size_t j = 0; j < i; ++j)
      if (stages[j].name == stage.name)
        return "two stages have the name '" + stage.name + "'";
    if (i && stages[i - 1].outputKind != stage.inputKind)
      return "stage '" + stages[i - 1].name + "' makes '" +
             stages[i - 1].outputKind + "', but stage '" + stage.name +
             "' after it accepts '" + stage.inputKind + "'";
  }
  return {};
}

Result<std::vector<Stage>> readStages(const Plugin &plugin,
                                      const ParsedOptions &options,
                                      const Log *log,
                                      const Cancellation &cancellation) {
  Call call(log, plugin.info, cancellation);
  StageSink sink(call);
  nereid_status_t status = call.run([&] {
    return plugin.compiler.visit_stages(plugin.state, options.get(), &sink.sink,
                                        call.get());
  });
  if (status != NEREID_OK)
    return call.failure(status, "visit_stages");
  if (std::string problem = checkStages(sink.stages); !problem.empty())
    return Failure{NEREID_INTERNAL, "plugin '" + plugin.info.id +
                                        "': malformed pipeline: " + problem};
  return std::move(sink.stages);
}

Json stagesJson(const std::vector<Stage> &stages) {
  Json list = Json::array();
  for (const Stage &stage : stages)
    list.push_back({{"name", stage.name},
                    {"input", stage.inputKind},
                    {"output", stage.outputKind},
                    {"extension", stage.extension},
                    {"image", stage.makesImage}});
  return list;
}

Result<size_t> findStage(const std::vector<Stage> &stages,
                         std::string_view name) {
  std::vector<std::string> names;
  for (size_t i = 0; i < stages.size(); ++i) {
    if (stages[i].name == name)
      return i;
    names.push_back(stages[i].name);
  }
  return Failure{NEREID_NOT_FOUND, "no stage '" + std::string(name) + "'" +
                                       suggestNames(name, names)};
}

} // namespace nereid::host
