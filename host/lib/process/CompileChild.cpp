// CompileChild.cpp - what a process does that compiles for another one.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/Call.h"
#include "compile/TtirService.h"
#include "plugin/PluginRegistry.h"
#include "process/CompileWorkers.h"
#include "runtime/Log.h"
#include "worker/Serve.h"

namespace nereid::host {

using worker::Json;
using worker::Message;

namespace {
/// The plugin, loaded by the first request, and the requests that it serves.
class CompileChild {
public:
  CompileChild(std::string path, bool allowsWritable, nereid_severity_t level)
      : path(std::move(path)), allowsWritable(allowsWritable),
        log(passOn, this, level) {}

  Message answer(Message request, const worker::SendEvent &event);

private:
  static void passOn(void *user, nereid_string_t source,
                     const nereid_diagnostic_t *diagnostic);
  Result<std::shared_ptr<Plugin>> load();
  Result<Message> serve(Message &request);
  Result<Message> compile(Message &request, const Plugin &plugin,
                          const ParsedOptions &options);

  const std::string path;
  const bool allowsWritable;
  const worker::SendEvent *sender = nullptr; // while a request is served
  const Log log;
  std::unique_ptr<PluginRegistry> registry;
  std::shared_ptr<Plugin> plugin;
};
} // namespace

void CompileChild::passOn(void *user, nereid_string_t source,
                          const nereid_diagnostic_t *diagnostic) {
  auto &self = *static_cast<CompileChild *>(user);
  if (!self.sender)
    return;
  (*self.sender)({{"source", view(source)},
                  {"severity", static_cast<uint32_t>(diagnostic->severity)},
                  {"message", view(diagnostic->message)},
                  {"file", view(diagnostic->file)},
                  {"line", diagnostic->line},
                  {"column", diagnostic->column}});
}

Result<std::shared_ptr<Plugin>> CompileChild::load() {
  if (plugin)
    return plugin;
  RegistryOptions options;
  options.loader.allowsWritable = allowsWritable;
  options.loader.extensions = hostExtensions();
  options.usesDefaultDirs = false;
  registry = std::make_unique<PluginRegistry>(std::move(options), &log);
  Result<std::shared_ptr<Plugin>> loaded = registry->load(path);
  if (loaded)
    plugin = *loaded;
  return loaded;
}

static Result<std::string> takeBlob(Message &request, std::string_view name) {
  std::string *found = request.blob(name);
  if (!found)
    return Failure{NEREID_INTERNAL,
                   "the request has no blob '" + std::string(name) + "'"};
  return std::move(*found);
}

Result<Message> CompileChild::compile(Message &request, const Plugin &compiler,
                                      const ParsedOptions &options) {
  const Json &header = request.header;
  Result<std::vector<Stage>> stages = readStages(compiler, options, &log);
  if (!stages)
    return stages.failure();
  Result<std::string> source = takeBlob(request, "source");
  if (!source)
    return source.failure();
  auto name = header.at("source_name").get<std::string>();
  PipelinePlan plan;
  plan.first = header.at("first").get<size_t>();
  plan.last = header.at("last").get<size_t>();
  if (plan.first > plan.last || plan.last >= stages->size())
    return Failure{NEREID_INTERNAL, "the compiler has other stages here"};
  plan.source = *source;
  plan.sourceName = name;
  plan.dumpDir = header.at("dump_dir").get<std::string>();
  plan.keepOutputs = header.at("keep").get<bool>();
  std::vector<std::string> replacements;
  replacements.reserve(header.at("replaced").size()); // views borrow them
  for (const Json &item : header.at("replaced")) {
    auto stage = item.get<size_t>();
    Result<std::string> bytes =
        takeBlob(request, "replacement." + std::to_string(stage));
    if (!bytes)
      return bytes.failure();
    replacements.push_back(std::move(*bytes));
    plan.replacements.emplace_back(stage, replacements.back());
  }
  Result<PipelineResult> ran =
      runPipeline(compiler, options, *stages, plan, &log, nullptr);
  if (!ran)
    return ran.failure();
  Message reply;
  reply.header["times"] = Json::array();
  reply.header["kept"] = Json::array();
  for (const StageTime &time : ran->times)
    reply.header["times"].push_back({time.stage, time.nanoseconds});
  reply.blobs.push_back({"output", std::move(ran->output)});
  reply.blobs.push_back({"metadata", ran->metadata.encode()});
  for (StageOutput &kept : ran->kept) {
    reply.header["kept"].push_back(kept.stage);
    reply.blobs.push_back({"kept." + kept.stage, std::move(kept.bytes)});
  }
  return reply;
}

Result<Message> CompileChild::serve(Message &request) {
  Result<std::shared_ptr<Plugin>> loaded = load();
  if (!loaded)
    return loaded.failure();
  const Json &header = request.header;
  const Json &given = header.at("target");
  Target target;
  target.backend = given.at("backend").get<std::string>();
  target.arch = given.at("arch").get<std::string>();
  target.features = given.at("features").get<std::string>();
  target.warpSize = given.at("warp_size").get<int32_t>();
  Result<std::string> encoded = takeBlob(request, "options");
  if (!encoded)
    return encoded.failure();
  Result<Values> values = Values::decode(*encoded);
  if (!values)
    return values.failure();
  Result<ParsedOptions> options =
      ParsedOptions::parse(**loaded, target.get(), values->items(), &log);
  if (!options)
    return options.failure();
  // The key was made of the parent's.
  if (options->canonical() != header.at("canonical").get<std::string>())
    return Failure{NEREID_INTERNAL,
                   "plugin '" + (*loaded)->info.id +
                       "' has other options in a process of its own: '" +
                       options->canonical() + "'"};
  if (header.at("request") == "compile")
    return compile(request, **loaded, *options);
  if (Outcome checked = checkSession(**loaded, *options, &log); !checked)
    return checked.failure();
  return Message();
}

static Message errorOf(const Failure &failure) {
  Message reply;
  reply.header["error"] = {
      {"status", statusName(failure.status)},
      {"diagnostics",
       Json::array({{{"severity", "error"}, {"message", failure.text}}})}};
  return reply;
}

Message CompileChild::answer(Message request, const worker::SendEvent &event) {
  sender = &event;
  Message reply;
  try {
    Result<Message> served = serve(request);
    reply = served ? std::move(*served) : errorOf(served.failure());
  } catch (const std::bad_alloc &) {
    reply = errorOf({NEREID_OUT_OF_RESOURCES, "the worker is out of memory"});
  } catch (const std::exception &error) {
    reply = errorOf(
        {NEREID_INTERNAL, std::string("the worker failed: ") + error.what()});
  }
  sender = nullptr;
  return reply;
}

int serveCompiler(const std::string &path, bool allowsWritable,
                  nereid_severity_t level) {
  CompileChild child(path, allowsWritable, level);
  return worker::serve({{"worker", "nereid-compile-worker"}, {"plugin", path}},
                       [&](Message request, const worker::SendEvent &event) {
                         return child.answer(std::move(request), event);
                       });
}

} // namespace nereid::host
