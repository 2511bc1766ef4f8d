// CompilePlan.cpp - reads a request: options, stages, what to run, the key.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "compile/CompilePlan.h"

#include "abi/Struct.h"

namespace nereid::host {

Outcome CompilePlan::readPipeline(const nereid_compile_request_t &request) {
  if (request.source.size && !request.source.data)
    return Failure{NEREID_INVALID_ARGUMENT, "source has a size but no data"};
  pipeline.source = {static_cast<const char *>(request.source.data),
                     request.source.size};
  pipeline.sourceName = request.source_name.size ? view(request.source_name)
                                                 : std::string_view("<source>");
  pipeline.dumpDir = view(request.dump_dir);
  pipeline.keepOutputs = request.flags & NEREID_COMPILE_KEEP_STAGES;
  pipeline.last = stages.size() - 1;
  for (auto [name, index] :
       {std::pair(view(request.start_at), &pipeline.first),
        std::pair(view(request.stop_after), &pipeline.last)}) {
    if (name.empty())
      continue;
    Result<size_t> found = findStage(stages, name);
    if (!found)
      return found.failure();
    *index = *found;
  }
  if (pipeline.first > pipeline.last)
    return Failure{NEREID_INVALID_ARGUMENT,
                   "stage '" + stages[pipeline.first].name +
                       "' to start at comes after stage '" +
                       stages[pipeline.last].name + "' to stop after"};
  return readReplacements(request);
}

Outcome CompilePlan::readReplacements(const nereid_compile_request_t &request) {
  if (request.replacement_count && !request.replacements)
    return Failure{NEREID_INVALID_ARGUMENT, "replacements is null, but "
                                            "replacement_count is not 0"};
  for (uint64_t i = 0; i < request.replacement_count; ++i) {
    nereid_replacement_t replacement = readItem(request.replacements, i);
    Result<size_t> found = findStage(stages, view(replacement.stage));
    if (!found)
      return found.failure();
    if (*found < pipeline.first || *found > pipeline.last)
      return Failure{NEREID_INVALID_ARGUMENT, "stage '" + stages[*found].name +
                                                  "' to replace is not run"};
    if (replacement.replacement.size && !replacement.replacement.data)
      return Failure{NEREID_INVALID_ARGUMENT, "the replacement of stage '" +
                                                  stages[*found].name +
                                                  "' has a size but no data"};
    pipeline.replacements.emplace_back(
        *found, std::string_view(
                    static_cast<const char *>(replacement.replacement.data),
                    replacement.replacement.size));
  }
  return {};
}

// The dependencies that the compiler reports.
static Result<std::string> readDependencies(const Plugin &plugin,
                                            const ParsedOptions &options,
                                            const Log *log,
                                            const Cancellation &cancellation) {
  std::string dependencies;
  if (!plugin.compiler.has(&nereid_compiler_t::write_dependencies))
    return dependencies;
  Call call(log, plugin.info, cancellation);
  StringWriter writer(dependencies, call);
  nereid_status_t status = call.run([&] {
    return plugin.compiler.write_dependencies(plugin.state, options.get(),
                                              writer.get(), call.get());
  });
  if (status != NEREID_OK)
    return call.failure(status, "write_dependencies");
  return dependencies;
}

Outcome CompilePlan::readIngredients(const Log *log) {
  Result<std::string> dependencies =
      readDependencies(plugin(), options, log, pipeline.cancellation);
  if (!dependencies)
    return dependencies.failure();
  std::string replaced;
  for (const auto &[stage, bytes] : pipeline.replacements)
    replaced += stages[stage].name + '=' + sha256(bytes).hex() + '\n';
  const PluginInfo &info = plugin().info;
  ingredients.add("abi", std::to_string(NEREID_ABI_MAJOR) + '.' +
                             std::to_string(info.abiMinor) + '-' +
                             std::to_string(NEREID_ABI_REVISION));
  ingredients.add("plugin", info.id);
  ingredients.add("version", info.version);
  ingredients.add("build", info.buildId);
  ingredients.add("extensions", plugin().usedExtensions);
  ingredients.add("target", target.text());
  ingredients.add("options", options.canonical());
  ingredients.add("dependencies", *dependencies);
  ingredients.add("start", stages[pipeline.first].name);
  ingredients.add("kind", stages[pipeline.first].inputKind);
  ingredients.add("last", stages[pipeline.last].name);
  ingredients.add("replaced", replaced);
  ingredients.add("source", sha256(pipeline.source).hex());
  if (pipeline.keepOutputs)
    ingredients.add("stages", "kept");
  key = sha256(ingredients.serialize());
  return {};
}

bool CompilePlan::isWhole() const {
  return pipeline.first == 0 && pipeline.last + 1 == stages.size() &&
         pipeline.replacements.empty() && pipeline.dumpDir.empty();
}

Result<CompilePlan> CompilePlan::make(const CompilerChoice &choice,
                                      const nereid_compile_request_t &request,
                                      const Log *log) {
  if (request.option_count && !request.options)
    return Failure{NEREID_INVALID_ARGUMENT, "options is null, but "
                                            "option_count is not 0"};
  Cancellation cancellation = {request.cancelled, request.cancelled_user};
  Result<ParsedOptions> options = ParsedOptions::parse(
      *choice.compiler, choice.target.get(),
      {request.options, request.option_count}, log, cancellation);
  if (!options)
    return options.failure();
  Result<std::vector<Stage>> stages =
      readStages(*choice.compiler, *options, log, cancellation);
  if (!stages)
    return stages.failure();
  CompilePlan plan(choice.compiler, choice.target, std::move(*options));
  plan.stages = std::move(*stages);
  plan.pipeline.cancellation = cancellation;
  if (Outcome read = plan.readPipeline(request); !read)
    return read.failure();
  if (Outcome read = plan.readIngredients(log); !read)
    return read.failure();
  return plan;
}

} // namespace nereid::host
