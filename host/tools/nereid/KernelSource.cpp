// KernelSource.cpp - from the command line to a compiled kernel.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "KernelSource.h"

#include "Files.h"
#include "Progress.h"
#include "Text.h"
#include "text/Suggestions.h"

#include <algorithm>
#include <deque>

namespace nereid::tool {

std::vector<OptionSpec> compileOptions(CompileOptions &options) {
  return {{"KERNEL", &options.kernel, "", "'-' is stdin", true},
          {"--target", &options.target, "TARGET",
           "device, as in cpu:1; compile: cpu:x86_64:znver4 too"},
          {"--compiler", &options.compiler, "ID",
           "compile with this plugin instead of the device's"},
          {"-O", &options.values, "NAME=VALUE",
           "set an option of the compiler ('nereid options')"},
          {"--refresh", &options.refresh, "", "compile even if it is cached"}};
}

std::vector<OptionSpec> inputOptions(CompileOptions &options) {
  return {{"--start-at", &options.startAt, "STAGE",
           "KERNEL is the input of this stage"},
          {"--replace", &options.replacements, "STAGE=FILE",
           "take a file as the output of a stage"}};
}

static Expected<void> checkStage(const std::string &option,
                                 const std::string &stage,
                                 const std::vector<std::string> &stages) {
  if (stage.empty() ||
      std::find(stages.begin(), stages.end(), stage) != stages.end())
    return {};
  return invalid(option + ": unknown stage '" + stage + "'" +
                 suggestNames(stage, stages));
}

namespace {
/// What the request borrows from.
class Request {
public:
  Expected<void> build(const CompileOptions &options,
                       const TargetChoice &choice);
  const nereid_compile_request_t &get() const { return request; }
  const std::string &sourceName() const { return name; }

private:
  Expected<void> addReplacement(const std::string &text);

  std::string name, source;
  std::vector<std::string> stages;
  std::vector<nereid_value_t> values;
  std::deque<std::string> files; // keeps its items where they are
  std::vector<nereid_replacement_t> replacements;
  nereid_compile_request_t request = detail::sized<nereid_compile_request_t>();
};
} // namespace

Expected<void> Request::addReplacement(const std::string &text) {
  size_t equals = text.find('=');
  if (equals == text.npos || equals == 0 || equals + 1 == text.size())
    return invalid("--replace '" + text + "': expected STAGE=FILE");
  Expected<void> known =
      checkStage("--replace", text.substr(0, equals), stages);
  if (!known)
    return known;
  Expected<std::string> bytes = readFile(text.substr(equals + 1));
  if (!bytes)
    return bytes.error();
  files.push_back(std::move(*bytes));
  auto replacement = detail::sized<nereid_replacement_t>();
  replacement.stage = detail::borrow(std::string_view(text).substr(0, equals));
  replacement.replacement = {files.back().data(), files.back().size()};
  replacements.push_back(replacement);
  request.replacements = replacements.data();
  request.replacement_count = replacements.size();
  return {};
}

Expected<void> Request::build(const CompileOptions &options,
                              const TargetChoice &choice) {
  name = options.kernel == "-" ? "<stdin>" : options.kernel;
  Expected<std::string> bytes =
      options.kernel == "-" ? readInput(name) : readFile(name);
  if (!bytes)
    return bytes.error();
  source = std::move(*bytes);
  auto parsed = parseOptionTexts(options.values);
  if (!parsed)
    return parsed.error();
  values = std::move(*parsed);
  Expected<Json> list = stagesFor(choice, values);
  if (!list)
    return list.error();
  for (const Json &stage : *list)
    stages.push_back(stage.value("name", ""));
  Expected<void> known = checkStage("--start-at", options.startAt, stages);
  if (known)
    known = checkStage("--stop-after", options.stopAfter, stages);
  for (const std::string &text : options.replacements)
    if (known)
      known = addReplacement(text);
  if (!known)
    return known;

  request.flags = options.refresh ? NEREID_COMPILE_REFRESH : 0u;
  request.source = {source.data(), source.size()};
  request.source_name = detail::borrow(name);
  request.target = choice.request();
  request.device = choice.device;
  request.options = values.data();
  request.option_count = values.size();
  request.start_at = detail::borrow(options.startAt);
  request.stop_after = detail::borrow(options.stopAfter);
  request.dump_dir = detail::borrow(options.dumpDir);
  return {};
}

Expected<CompiledKernel>
compileKernel(Session &session, const CompileOptions &options, bool mustRun) {
  session.options.compiler = options.compiler;
  Expected<Runtime *> runtime = session.runtime();
  if (!runtime)
    return runtime.error();
  Expected<TargetChoice> choice =
      chooseTarget(**runtime, options.target, mustRun);
  if (!choice)
    return choice.error();
  Request request;
  if (Expected<void> built = request.build(options, *choice); !built)
    return built.error();

  auto start = std::chrono::steady_clock::now();
  Expected<Artifact> artifact = [&] {
    Progress progress("compiling " + request.sourceName());
    return choice->compiler.compile(request.get());
  }();
  std::chrono::nanoseconds time = std::chrono::steady_clock::now() - start;
  if (!artifact) {
    Error error = artifact.error();
    bool isSourceWrong = error.status == NEREID_INVALID_ARGUMENT &&
                         nereid_compile_check(choice->compiler.get(),
                                              &request.get()) == NEREID_OK;
    if (isSourceWrong)
      error.status = workFailed;
    return error;
  }
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status = nereid_artifact_describe(artifact->get(), &buffer);
  Expected<Json> facts = takeJson(status, buffer);
  if (!facts)
    return facts.error();
  return CompiledKernel{std::move(*choice), std::move(*artifact),
                        std::move(*facts), time.count()};
}

std::string compileSummary(const CompiledKernel &kernel) {
  std::string plugin(detail::view(kernel.choice.compiler.info().id));
  std::string verb =
      kernel.artifact.info().from_cache
          ? "taken from the cache, where plugin '" + plugin + "' put it,"
          : "compiled by plugin '" + plugin + "'";
  return verb + " for " + kernel.choice.shortName() + " in " +
         durationText(static_cast<double>(kernel.nanoseconds));
}

} // namespace nereid::tool
