// Pipeline.cpp - runs the stages of a compiler.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "compile/Pipeline.h"

#include "abi/Call.h"
#include "compile/Dump.h"
#include "runtime/Trace.h"

#include <chrono>
#include <optional>

namespace nereid::host {

// Bytes for a stage; never a null pointer, which would mean "what the session
// kept".
static nereid_bytes_t bytesOf(std::string_view text) {
  return {text.data() ? text.data() : "", text.size()};
}

Failure cancelled(std::string_view source) {
  return {NEREID_CANCELLED,
          std::string(source) + ": the compilation was cancelled"};
}

namespace {
/// A compilation of the plugin's, from begin to end.
class Session {
public:
  Session(const Plugin &plugin, const ParsedOptions &options, const Log *log,
          const Cancellation &cancellation)
      : plugin(plugin), options(options), log(log), cancellation(cancellation) {
  }
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;
  ~Session() {
    if (!handle)
      return;
    Call call(log, plugin.info);
    nereid_status_t status = call.run(
        [&] { return plugin.compiler.end(plugin.state, handle, call.get()); });
    if (status != NEREID_OK)
      call.warn(status, "end");
  }

  Outcome begin() {
    if (!plugin.compiler.has(&nereid_compiler_t::begin))
      return {};
    Call call(log, plugin.info, cancellation);
    nereid_status_t status = call.run([&] {
      return plugin.compiler.begin(plugin.state, options.get(), &handle,
                                   call.get());
    });
    if (status == NEREID_OK)
      return {};
    handle = nullptr; // whatever a failing slot left there
    return call.failure(status, "begin");
  }
  nereid_session_t *get() const { return handle; }

private:
  const Plugin &plugin;
  const ParsedOptions &options;
  const Log *log;
  const Cancellation cancellation;
  nereid_session_t *handle = nullptr;
};

/// One run of a pipeline.
class Run {
public:
  Run(const Plugin &plugin, const ParsedOptions &options,
      const std::vector<Stage> &stages, const PipelinePlan &plan,
      const Log *log, Trace *trace)
      : plugin(plugin), options(options), stages(stages), plan(plan), log(log),
        trace(trace), session(plugin, options, log, plan.cancellation) {}

  Result<PipelineResult> run();

private:
  Outcome runStage(size_t index);
  Outcome callStage(size_t index, nereid_bytes_t input, std::string *output);
  std::optional<std::string_view> replacementOf(size_t index) const;
  bool isInSession(size_t index) const;
  bool isOutputWanted(size_t index) const;
  std::string noteOnInput(size_t index) const;

  const Plugin &plugin;
  const ParsedOptions &options;
  const std::vector<Stage> &stages;
  const PipelinePlan &plan;
  const Log *log;
  Trace *trace;
  Session session;
  PipelineResult result;
  // The input of the next stage; null data: it is in the session.
  nereid_bytes_t input = {};
  std::string inputStorage;
};
} // namespace

Result<PipelineResult> Run::run() {
  if (Outcome begun = session.begin(); !begun)
    return begun.failure();
  std::optional<Dump> dump;
  if (!plan.dumpDir.empty()) {
    dump.emplace(plan.dumpDir);
    if (Outcome made = dump->create(); !made)
      return made.failure();
    if (Outcome written =
            dump->writeSource(stages[plan.first].inputKind, plan.source);
        !written)
      return written.failure();
  }
  input = bytesOf(plan.source);
  for (size_t index = plan.first; index <= plan.last; ++index) {
    if (plan.cancellation.isRequested())
      return cancelled(plan.sourceName);
    if (Outcome ran = runStage(index); !ran)
      return ran.failure();
    if (!dump)
      continue;
    const Stage &stage = stages[index];
    if (Outcome written = dump->writeStage(
            index + 1, stage.name, stage.extension,
            {static_cast<const char *>(input.data), input.size});
        !written)
      return written.failure();
  }
  if (dump)
    if (Outcome written = dump->writeMetadata(result.metadata); !written)
      return written.failure();
  // The last output is a replacement, or what the last stage wrote.
  if (input.data == inputStorage.data())
    result.output = std::move(inputStorage);
  else
    result.output.assign(static_cast<const char *>(input.data), input.size);
  return std::move(result);
}

std::optional<std::string_view> Run::replacementOf(size_t index) const {
  for (const auto &[stage, bytes] : plan.replacements)
    if (stage == index)
      return bytes;
  return std::nullopt;
}

bool Run::isInSession(size_t index) const {
  return stages[index].keepsOutput && session.get() && index != plan.last;
}

bool Run::isOutputWanted(size_t index) const {
  return !isInSession(index) || plan.keepOutputs || !plan.dumpDir.empty();
}

// What input is expected where the user's own takes the place of a stage's
// output.
std::string Run::noteOnInput(size_t index) const {
  const Stage &stage = stages[index];
  std::string note =
      "\nnote: stage '" + stage.name + "' accepts '" + stage.inputKind + "', ";
  if (index > plan.first && replacementOf(index - 1))
    return note + "and what replaces the output of stage '" +
           stages[index - 1].name + "' must be that";
  if (index == plan.first && index > 0)
    return note + "as stage '" + stages[index - 1].name + "' makes it; '" +
           stages[0].inputKind + "' goes to stage '" + stages[0].name + "'";
  return {};
}

Outcome Run::runStage(size_t index) {
  if (std::optional<std::string_view> bytes = replacementOf(index)) {
    input = bytesOf(*bytes);
    if (plan.keepOutputs && index != plan.last)
      result.kept.push_back({stages[index].name, std::string(*bytes)});
    return {};
  }
  const Stage &stage = stages[index];
  TraceSpan span(trace, "stage", stage.name);
  span.argument("plugin", plugin.info.id);
  span.argument("source", plan.sourceName);

  bool isWanted = isOutputWanted(index);
  std::string output;
  auto start = std::chrono::steady_clock::now();
  if (Outcome called = callStage(index, input, isWanted ? &output : nullptr);
      !called)
    return called;
  auto end = std::chrono::steady_clock::now();
  result.times.push_back(
      {stage.name, std::chrono::nanoseconds(end - start).count()});
  input = {};
  if (!isWanted)
    return {};
  if (plan.keepOutputs && index != plan.last)
    result.kept.push_back({stage.name, output});
  // What the session has it need not read again.
  if (isInSession(index) && plan.dumpDir.empty())
    return {};
  inputStorage = std::move(output);
  input = bytesOf(inputStorage);
  return {};
}

Outcome Run::callStage(size_t index, nereid_bytes_t stageInput,
                       std::string *output) {
  const Stage &stage = stages[index];
  // Later inputs have no file; the stage's name says which one is meant.
  std::string inputName =
      index == plan.first
          ? std::string(plan.sourceName)
          : std::string(plan.sourceName) + " (" + stage.inputKind + ")";
  Call call(log, plugin.info, plan.cancellation);
  call.nameInput(inputName);
  ValueSink metadata(result.metadata, call);
  std::optional<StringWriter> writer;
  if (output)
    writer.emplace(*output, call);
  nereid_stage_input_t given = {};
  given.struct_size = sizeof given;
  given.index = static_cast<uint32_t>(index);
  given.options = options.get();
  given.session = session.get();
  given.name = borrow(plan.sourceName);
  given.bytes = stageInput;
  nereid_status_t status = call.run([&] {
    return plugin.compiler.run_stage(plugin.state, &given,
                                     writer ? writer->get() : nullptr,
                                     metadata.get(), call.get());
  });
  if (status == NEREID_OK)
    return {};
  Failure failure = call.failure(status, "run_stage");
  if (failure.status == NEREID_CANCELLED)
    return Failure{failure.status,
                   std::string(plan.sourceName) + ": " + failure.text};
  return Failure{failure.status, std::string(plan.sourceName) + ": stage '" +
                                     stage.name + "' failed: " + failure.text +
                                     (failure.status == NEREID_INVALID_ARGUMENT
                                          ? noteOnInput(index)
                                          : "")};
}

Outcome checkSession(const Plugin &plugin, const ParsedOptions &options,
                     const Log *log) {
  return Session(plugin, options, log, {}).begin();
}

Result<PipelineResult> runPipeline(const Plugin &plugin,
                                   const ParsedOptions &options,
                                   const std::vector<Stage> &stages,
                                   const PipelinePlan &plan, const Log *log,
                                   Trace *trace) {
  return Run(plugin, options, stages, plan, log, trace).run();
}

} // namespace nereid::host
