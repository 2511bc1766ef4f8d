// CompileWorkers.cpp - asks a worker to compile.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "process/CompileWorkers.h"

#include "abi/Call.h"
#include "nereid/host/base.h"
#include "runtime/Log.h"
#include "support/File.h"
#include "worker/Pool.h"

#include <unistd.h>

namespace nereid::host {

using worker::End;
using worker::Exchange;
using worker::Message;

CompileWorkers::CompileWorkers(std::string helper,
                               std::chrono::milliseconds limit,
                               bool allowsWritable, const Log *log)
    : helper(std::move(helper)), limit(limit), allowsWritable(allowsWritable),
      log(log) {}

CompileWorkers::~CompileWorkers() = default;

std::string compileWorkerIn(const std::string &libraryDir) {
  return libraryDir.empty() ? "" : libraryDir + "/" NEREID_COMPILE_WORKER_PATH;
}

worker::Pool &CompileWorkers::poolOf(const PluginInfo &plugin) {
  std::lock_guard lock(mutex);
  std::unique_ptr<worker::Pool> &pool = pools[plugin.path];
  if (!pool) {
    int level = NEREID_SEVERITY_ERROR;
    while (level < NEREID_SEVERITY_DEBUG && log->enabled(level + 1))
      ++level;
    worker::Command command;
    command.words = {helper, plugin.path, allowsWritable ? "writable" : "safe",
                     std::to_string(level)};
    pool = std::make_unique<worker::Pool>(std::move(command),
                                          worker::PoolLimits());
  }
  return *pool;
}

// A message of the plugin.
void CompileWorkers::forward(const Message &event) const {
  const worker::Json &json = event.header;
  auto textOf = [&](const char *name) {
    auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>()
                                                     : std::string();
  };
  auto numberOf = [&](const char *name) -> uint32_t {
    auto found = json.find(name);
    return found != json.end() && found->is_number_unsigned()
               ? found->get<uint32_t>()
               : 0;
  };
  std::string source = textOf("source"), message = textOf("message"),
              file = textOf("file");
  nereid_diagnostic_t diagnostic = {};
  diagnostic.struct_size = sizeof diagnostic;
  diagnostic.severity = static_cast<nereid_severity_t>(numberOf("severity"));
  diagnostic.message = borrow(message);
  diagnostic.file = borrow(file);
  diagnostic.line = numberOf("line");
  diagnostic.column = numberOf("column");
  log->write(source, diagnostic);
}

static nereid_status_t statusOfName(std::string_view name) {
  for (nereid_status_t status = NEREID_OK + 1; status <= NEREID_DEVICE_LOST;
       ++status)
    if (statusName(status) == name)
      return status;
  return NEREID_INTERNAL;
}

// The error in an answer; its text is as a compilation in this process has it.
static Failure failureOf(const worker::Json &error) {
  try {
    return {statusOfName(error.at("status").get<std::string>()),
            error.at("diagnostics").at(0).at("message").get<std::string>()};
  } catch (const worker::Json::exception &) {
    return {NEREID_INTERNAL, "the worker gave no reason"};
  }
}

// The last lines that a worker printed, as notes.
static std::string notesOf(std::string_view output) {
  constexpr size_t most = 2000;
  if (output.size() > most)
    output.remove_prefix(output.size() - most);
  std::string notes;
  while (!output.empty()) {
    size_t end = std::min(output.find('\n'), output.size());
    if (end)
      notes += "\nnote: it printed: " + std::string(output.substr(0, end));
    output.remove_prefix(std::min(end + 1, output.size()));
  }
  return notes;
}

static Failure failureOf(const Exchange &exchange, const std::string &where) {
  nereid_status_t status = NEREID_INTERNAL;
  std::string remedy;
  if (exchange.end == End::NotStarted) {
    status = NEREID_UNAVAILABLE;
    remedy = "; it is installed with libnereid";
  } else if (exchange.end == End::Late) {
    status = NEREID_OUT_OF_RESOURCES;
    remedy = "; NEREID_COMPILE_TIMEOUT sets another limit";
  } else if (exchange.problem.find("memory") != std::string::npos) {
    status = NEREID_OUT_OF_RESOURCES;
  }
  return {status, where + ": the compiler's process failed: " +
                      exchange.problem + remedy + notesOf(exchange.output)};
}

Result<Message> CompileWorkers::ask(const CompilePlan &plan, Message request) {
  const PluginInfo &plugin = plan.plugin().info;
  if (plugin.path.empty())
    return Failure{NEREID_UNAVAILABLE,
                   "plugin '" + plugin.id +
                       "' was registered in this process and has no file, so "
                       "it cannot compile in a process of its own"};
  const nereid_target_t target = plan.target.get();
  request.header["target"] = {{"backend", view(target.backend)},
                              {"arch", view(target.arch)},
                              {"features", view(target.features)},
                              {"warp_size", target.warp_size}};
  request.header["canonical"] = plan.options.canonical();
  request.blobs.push_back({"options", plan.options.given()});
  worker::Limits limits;
  limits.time = limit;
  if (const Cancellation &by = plan.pipeline.cancellation; by.isPossible())
    limits.isCancelled = [&by] { return by.isRequested(); };
  limits.event = [this](const Message &event) { forward(event); };
  Exchange exchange = poolOf(plugin).ask(std::move(request), limits);
  if (exchange.end == End::Cancelled)
    return cancelled(plan.pipeline.sourceName);
  if (exchange.end != End::Answered)
    return failureOf(exchange, std::string(plan.pipeline.sourceName) +
                                   ": plugin '" + plugin.id + "'");
  auto error = exchange.answer.header.find("error");
  if (error != exchange.answer.header.end())
    return failureOf(*error);
  return std::move(exchange.answer);
}

static Failure malformed() {
  return {NEREID_INTERNAL,
          "the compiler's process answered in a way that is not understood"};
}

// Takes the result out of an answer.
static Result<PipelineResult> readResult(Message &answer) {
  PipelineResult result;
  std::string *output = answer.blob("output");
  std::string *metadata = answer.blob("metadata");
  if (!output || !metadata)
    return malformed();
  Result<Values> values = Values::decode(*metadata);
  if (!values)
    return values.failure();
  result.output = std::move(*output);
  result.metadata = std::move(*values);
  try {
    for (const auto &item : answer.header.at("times"))
      result.times.push_back(
          {item.at(0).get<std::string>(), item.at(1).get<int64_t>()});
    for (const auto &item : answer.header.at("kept")) {
      auto stage = item.get<std::string>();
      std::string *bytes = answer.blob("kept." + stage);
      if (!bytes)
        return malformed();
      result.kept.push_back({stage, std::move(*bytes)});
    }
  } catch (const worker::Json::exception &) {
    return malformed();
  }
  return result;
}

Result<PipelineResult> CompileWorkers::run(const CompilePlan &plan) {
  const PipelinePlan &pipeline = plan.pipeline;
  Message request;
  std::string dump = pipeline.dumpDir;
  request.header["request"] = "compile";
  request.header["first"] = pipeline.first;
  request.header["last"] = pipeline.last;
  request.header["source_name"] = pipeline.sourceName;
  request.header["dump_dir"] = std::move(dump);
  request.header["keep"] = pipeline.keepOutputs;
  request.blobs.push_back({"source", std::string(pipeline.source)});
  worker::Json replaced = worker::Json::array();
  for (const auto &[stage, bytes] : pipeline.replacements) {
    replaced.push_back(stage);
    request.blobs.push_back(
        {"replacement." + std::to_string(stage), std::string(bytes)});
  }
  request.header["replaced"] = std::move(replaced);
  Result<Message> answer = ask(plan, std::move(request));
  if (!answer)
    return answer.failure();
  return readResult(*answer);
}

Outcome CompileWorkers::check(const CompilePlan &plan) {
  Message request;
  request.header["request"] = "check";
  Result<Message> answer = ask(plan, std::move(request));
  if (!answer)
    return answer.failure();
  return {};
}

} // namespace nereid::host
