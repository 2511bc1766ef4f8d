// Compile.cpp - from a request to a result.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "compile/Compile.h"

#include "abi/Call.h"
#include "abi/Struct.h"
#include "cache/Cache.h"
#include "compile/CompilerChoice.h"
#include "runtime/Log.h"
#include "runtime/Trace.h"
#include "support/Json.h"

namespace nereid::host {

// What to compile for: the given target, or the one of `device`.
static Result<Target> resolveTarget(const Plugin &plugin,
                                    const nereid_target_t *target,
                                    uint32_t device, const Log *log) {
  if (!plugin.hasCompiler)
    return Failure{NEREID_UNIMPLEMENTED,
                   "plugin '" + plugin.info.id + "' has no compiler"};
  if (!target && !plugin.hasDriver)
    return Failure{NEREID_INVALID_ARGUMENT,
                   "plugin '" + plugin.info.id +
                       "' has no driver, so the target must be given"};
  return target ? Target::copy(*target) : Target::ofDevice(plugin, device, log);
}

namespace {
/// One compilation: what the request and the plugin say of it, step by step.
class Compilation {
public:
  Compilation(const CompileContext &context, const Plugin &plugin,
              const nereid_compile_request_t &request)
      : context(context), plugin(plugin), request(request) {}

  Result<std::unique_ptr<Compiled>> run();
  Result<Json> describeKey();

private:
  Outcome prepare();
  Outcome readTarget();
  Outcome readOptionsAndStages();
  Outcome readPlan();
  Outcome readReplacements();
  Outcome readIngredients();
  bool isCacheable() const;
  std::unique_ptr<Compiled> emptyResult() const;
  Result<std::unique_ptr<Compiled>> produce(const std::string &reason);
  Result<std::unique_ptr<Compiled>> produceAndStore(const std::string &reason);
  Result<std::unique_ptr<Compiled>> getOrProduce();
  Result<std::unique_ptr<Compiled>> getOnly();
  Result<std::unique_ptr<Compiled>> fromEntry(const CacheEntry &entry) const;
  void tellListener(const std::string &reason) const;

  const CompileContext &context;
  const Plugin &plugin;
  const nereid_compile_request_t &request;
  Target target;
  std::optional<ParsedOptions> options;
  std::vector<Stage> stages;
  PipelinePlan plan;
  KeyIngredients ingredients;
  Digest key;
};
} // namespace

Outcome Compilation::readTarget() {
  Result<Target> resolved =
      resolveTarget(plugin, request.target, request.device, context.log);
  if (!resolved)
    return resolved.failure();
  target = std::move(*resolved);

  Result<int32_t> score = scoreTarget(plugin, target, context.log);
  if (!score)
    return score.failure();
  if (*score <= 0)
    return Failure{NEREID_UNIMPLEMENTED, "plugin '" + plugin.info.id +
                                             "' does not compile for " +
                                             target.description()};
  return {};
}

Outcome Compilation::readOptionsAndStages() {
  if (request.option_count && !request.options)
    return Failure{NEREID_INVALID_ARGUMENT, "options is null, but "
                                            "option_count is not 0"};
  nereid_target_t raw = target.get();
  Result<ParsedOptions> parsed = ParsedOptions::parse(
      plugin, raw, {request.options, request.option_count}, context.log);
  if (!parsed)
    return parsed.failure();
  options.emplace(std::move(*parsed));
  Result<std::vector<Stage>> read = readStages(plugin, *options, context.log);
  if (!read)
    return read.failure();
  stages = std::move(*read);
  return {};
}

Outcome Compilation::readPlan() {
  if (request.source.size && !request.source.data)
    return Failure{NEREID_INVALID_ARGUMENT, "source has a size but no data"};
  plan.source = {static_cast<const char *>(request.source.data),
                 request.source.size};
  plan.sourceName = request.source_name.size ? view(request.source_name)
                                             : std::string_view("<source>");
  plan.dumpDir = view(request.dump_dir);
  plan.keepOutputs = request.flags & NEREID_COMPILE_KEEP_STAGES;
  plan.last = stages.size() - 1;
  for (auto [name, index] : {std::pair(view(request.start_at), &plan.first),
                             std::pair(view(request.stop_after), &plan.last)}) {
    if (name.empty())
      continue;
    Result<size_t> found = findStage(stages, name);
    if (!found)
      return found.failure();
    *index = *found;
  }
  if (plan.first > plan.last)
    return Failure{NEREID_INVALID_ARGUMENT,
                   "stage '" + stages[plan.first].name +
                       "' to start at comes after stage '" +
                       stages[plan.last].name + "' to stop after"};
  return readReplacements();
}

Outcome Compilation::readReplacements() {
  if (request.replacement_count && !request.replacements)
    return Failure{NEREID_INVALID_ARGUMENT, "replacements is null, but "
                                            "replacement_count is not 0"};
  for (uint64_t i = 0; i < request.replacement_count; ++i) {
    nereid_replacement_t replacement = readItem(request.replacements, i);
    Result<size_t> found = findStage(stages, view(replacement.stage));
    if (!found)
      return found.failure();
    if (*found < plan.first || *found > plan.last)
      return Failure{NEREID_INVALID_ARGUMENT, "stage '" + stages[*found].name +
                                                  "' to replace is not run"};
    if (replacement.replacement.size && !replacement.replacement.data)
      return Failure{NEREID_INVALID_ARGUMENT, "the replacement of stage '" +
                                                  stages[*found].name +
                                                  "' has a size but no data"};
    plan.replacements.emplace_back(
        *found, std::string_view(
                    static_cast<const char *>(replacement.replacement.data),
                    replacement.replacement.size));
  }
  return {};
}

Outcome Compilation::readIngredients() {
  std::string dependencies;
  Call call(context.log, plugin.info.id);
  StringWriter writer(dependencies, call);
  nereid_status_t status = call.run([&] {
    return plugin.compiler.write_dependencies(plugin.state, options->get(),
                                              writer.get(), call.get());
  });
  // A compiler without the slot depends on nothing else.
  if (status != NEREID_OK && status != NEREID_UNIMPLEMENTED)
    return call.failure(status, "write_dependencies");

  ingredients.add("abi", std::to_string(NEREID_ABI_MAJOR) + '.' +
                             std::to_string(plugin.info.abiMinor));
  ingredients.add("plugin", plugin.info.id);
  ingredients.add("version", plugin.info.version);
  ingredients.add("build", plugin.info.buildId);
  ingredients.add("target", target.text());
  ingredients.add("options", options->canonical());
  ingredients.add("dependencies", dependencies);
  ingredients.add("start", stages[plan.first].name);
  ingredients.add("kind", stages[plan.first].inputKind);
  ingredients.add("source", sha256(plan.source).hex());
  if (plan.keepOutputs)
    ingredients.add("stages", "kept");
  key = sha256(ingredients.serialize());
  return {};
}

// Only the whole, undisturbed pipeline gives what the key stands for.
bool Compilation::isCacheable() const {
  bool isWhole = plan.first == 0 && plan.last + 1 == stages.size() &&
                 plan.replacements.empty() && plan.dumpDir.empty();
  return isWhole && context.cache && !(request.flags & NEREID_COMPILE_NO_CACHE);
}

std::unique_ptr<Compiled> Compilation::emptyResult() const {
  auto result = std::make_unique<Compiled>();
  result->sourceName = plan.sourceName;
  result->pluginId = plugin.info.id;
  result->ingredients = ingredients;
  result->key = key.hex();
  return result;
}

void Compilation::tellListener(const std::string &reason) const {
  if (context.log->enabled(NEREID_SEVERITY_INFO))
    context.log->info(std::string(plan.sourceName) +
                      ": compiling with plugin '" + plugin.info.id +
                      "': " + reason);
  if (!context.settings.compileListener)
    return;
  std::string hex = key.hex();
  nereid_compile_event_t event = {};
  event.struct_size = sizeof event;
  event.backend = borrow(plugin.info.id);
  event.source = borrow(plan.sourceName);
  event.key = borrow(hex);
  event.reason = borrow(reason);
  context.settings.compileListener(context.settings.user, &event);
}

Result<std::unique_ptr<Compiled>>
Compilation::produce(const std::string &cacheReason) {
  std::string reason = cacheReason;
  if (std::string change = context.history.explain(
          plugin.info.id, std::string(plan.sourceName), ingredients);
      !change.empty())
    reason += "; " + change;
  tellListener(reason);
  Result<PipelineResult> ran =
      runPipeline(plugin, *options, stages, plan, context.log, context.trace);
  if (!ran)
    return ran.failure();
  std::unique_ptr<Compiled> result = emptyResult();
  const Stage &last = stages[plan.last];
  result->missReason = std::move(reason);
  result->lastStage = last.name;
  result->kind = last.outputKind;
  result->extension = last.extension;
  result->isImage = last.makesImage;
  result->metadata = std::move(ran->metadata);
  result->times = std::move(ran->times);
  result->kept = std::move(ran->kept);
  result->storage = std::move(ran->output);
  result->output = result->storage;
  return result;
}

// Points `result` to the bytes of `entry`, so that a driver can map its file.
static void useEntry(Compiled &result, const CacheEntry &entry) {
  result.storage = {};
  result.output = entry.body;
  result.path = entry.path;
  result.keepAlive = entry.storage;
}

Result<std::unique_ptr<Compiled>>
Compilation::produceAndStore(const std::string &reason) {
  Result<std::unique_ptr<Compiled>> made = produce(reason);
  if (!made)
    return made;
  Compiled &result = **made;
  useEntry(result, context.cache->put(key, {std::move(result.storage),
                                            result.encodeRecord()}));
  return made;
}

Result<std::unique_ptr<Compiled>>
Compilation::fromEntry(const CacheEntry &entry) const {
  std::unique_ptr<Compiled> result = emptyResult();
  if (Outcome decoded = result->decodeRecord(entry.metadata); !decoded)
    return decoded.failure();
  result->isFromCache = true;
  useEntry(*result, entry);
  return result;
}

// Why an entry that is whole cannot be used.
static std::string otherVersion(const Failure &failure) {
  return "entry is of another version of libnereid: " + failure.text;
}

Result<std::unique_ptr<Compiled>> Compilation::getOnly() {
  std::string reason =
      context.cache ? "the request by-passes it" : "there is none";
  if (isCacheable()) {
    CacheLookup found = context.cache->get(key);
    reason = found.missReason;
    if (found.entry) {
      Result<std::unique_ptr<Compiled>> cached = fromEntry(*found.entry);
      if (cached)
        return cached;
      reason = otherVersion(cached.failure());
    }
  }
  std::string change = context.history.explain(
      plugin.info.id, std::string(plan.sourceName), ingredients);
  return Failure{NEREID_NOT_FOUND,
                 std::string(plan.sourceName) + ": not compiled for plugin '" +
                     plugin.info.id +
                     "', because compiling is forbidden and it is not in the "
                     "cache: " +
                     reason + (change.empty() ? "" : "; " + change)};
}

Result<std::unique_ptr<Compiled>> Compilation::getOrProduce() {
  std::unique_ptr<Compiled> made;
  Result<CacheEntry> entry = context.cache->getOrCompute(
      key, [&](const std::string &reason) -> Result<CacheValue> {
        Result<std::unique_ptr<Compiled>> produced = produce(reason);
        if (!produced)
          return produced.failure();
        made = std::move(*produced);
        return CacheValue{std::move(made->storage), made->encodeRecord()};
      });
  if (!entry)
    return entry.failure();
  if (made) {
    useEntry(*made, *entry);
    return made;
  }
  Result<std::unique_ptr<Compiled>> cached = fromEntry(*entry);
  if (cached)
    return cached;
  return produceAndStore(otherVersion(cached.failure()));
}

Outcome Compilation::prepare() {
  for (Outcome (Compilation::*step)() :
       {&Compilation::readTarget, &Compilation::readOptionsAndStages,
        &Compilation::readPlan, &Compilation::readIngredients})
    if (Outcome done = (this->*step)(); !done)
      return done;
  return {};
}

Result<Json> Compilation::describeKey() {
  if (Outcome prepared = prepare(); !prepared)
    return prepared.failure();
  return Json{{"key", key.hex()}, {"ingredients", ingredients.json()}};
}

Result<std::unique_ptr<Compiled>> Compilation::run() {
  if (Outcome prepared = prepare(); !prepared)
    return prepared.failure();

  CompilePolicy policy = context.settings.compilePolicy;
  if (policy == CompilePolicy::Never || (request.flags & NEREID_COMPILE_NEVER))
    return getOnly();
  if (!isCacheable())
    return produce(context.cache ? "the request by-passes the cache"
                                 : "there is no cache");
  if (policy == CompilePolicy::Always ||
      (request.flags & NEREID_COMPILE_REFRESH))
    return produceAndStore("asked to compile anew");
  return getOrProduce();
}

// A program that makes its kernels on the fly must not grow without end.
static constexpr size_t longestHistory = 4096;

std::string CompileHistory::explain(const std::string &plugin,
                                    const std::string &source,
                                    const KeyIngredients &ingredients) {
  std::lock_guard lock(mutex);
  if (last.size() >= longestHistory)
    last.clear();
  auto [place, isNew] = last.try_emplace({plugin, source}, ingredients);
  if (isNew)
    return {};
  std::vector<std::string> changed = ingredients.differences(place->second);
  place->second = ingredients;
  if (changed.empty())
    return {};
  std::string text = "changed since the last time: ";
  for (const std::string &name : changed)
    text += (&name == changed.data() ? "" : ", ") + name;
  return text;
}

Result<std::vector<OptionSchema>> backendSchema(const Plugin &plugin,
                                                const nereid_target_t *target,
                                                const Log *log) {
  Result<Target> resolved = resolveTarget(plugin, target, 0, log);
  if (!resolved)
    return resolved.failure();
  return readSchema(plugin, resolved->get(), log);
}

Result<std::vector<Stage>>
backendStages(const Plugin &plugin, const nereid_target_t *target,
              std::span<const nereid_value_t> options, const Log *log) {
  Result<Target> resolved = resolveTarget(plugin, target, 0, log);
  if (!resolved)
    return resolved.failure();
  Result<ParsedOptions> parsed =
      ParsedOptions::parse(plugin, resolved->get(), options, log);
  if (!parsed)
    return parsed.failure();
  return readStages(plugin, *parsed, log);
}

Result<std::unique_ptr<Compiled>>
compile(const CompileContext &context, const Plugin &plugin,
        const nereid_compile_request_t &given) {
  nereid_compile_request_t request = readStruct(given);
  TraceSpan span(context.trace, "compile",
                 view(request.source_name).empty() ? "<source>"
                                                   : view(request.source_name));
  span.argument("plugin", plugin.info.id);
  Result<std::unique_ptr<Compiled>> result =
      Compilation(context, plugin, request).run();
  if (result)
    span.argument("result", (*result)->isFromCache ? "cached" : "compiled");
  else
    span.argument("result", result.failure().text);
  return result;
}

Result<Json> describeKey(const CompileContext &context, const Plugin &plugin,
                         const nereid_compile_request_t &given) {
  nereid_compile_request_t request = readStruct(given);
  return Compilation(context, plugin, request).describeKey();
}

} // namespace nereid::host
