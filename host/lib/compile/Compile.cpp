// Compile.cpp - runs a plan, or takes its result from the cache.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "compile/Compile.h"

#include "cache/Cache.h"
#include "compile/CompilePlan.h"
#include "process/CompileWorkers.h"
#include "runtime/Log.h"
#include "runtime/Trace.h"
#include "support/Json.h"

namespace nereid::host {

namespace {
/// One compilation.
class Compilation {
public:
  Compilation(const CompileContext &context, const CompilePlan &plan,
              uint32_t flags)
      : context(context), plan(plan), flags(flags) {}

  Result<std::unique_ptr<Artifact>> run();

private:
  bool isCacheable() const;
  std::unique_ptr<Artifact> emptyResult() const;
  Result<std::unique_ptr<Artifact>> produce(const std::string &reason);
  Result<std::unique_ptr<Artifact>> produceAndStore(const std::string &reason);
  Result<std::unique_ptr<Artifact>> getOrProduce();
  Result<std::unique_ptr<Artifact>> getOnly();
  Result<std::unique_ptr<Artifact>> fromEntry(const CacheEntry &entry) const;
  Result<PipelineResult> runStages() const;
  void tellListener(const std::string &reason) const;

  const CompileContext &context;
  const CompilePlan &plan;
  const uint32_t flags; // of the request
};
} // namespace

bool Compilation::isCacheable() const {
  return plan.isWhole() && context.cache && !(flags & NEREID_COMPILE_NO_CACHE);
}

std::unique_ptr<Artifact> Compilation::emptyResult() const {
  auto result = std::make_unique<Artifact>();
  result->sourceName = plan.pipeline.sourceName;
  result->pluginId = plan.plugin().info.id;
  result->ingredients = plan.ingredients;
  result->key = plan.key.hex();
  return result;
}

void Compilation::tellListener(const std::string &reason) const {
  if (context.log->enabled(NEREID_SEVERITY_INFO))
    context.log->info(std::string(plan.pipeline.sourceName) +
                      ": compiling with plugin '" + plan.plugin().info.id +
                      "': " + reason);
  if (!context.settings.compileListener)
    return;
  std::string hex = plan.key.hex();
  nereid_compile_event_t event = {};
  event.struct_size = sizeof event;
  event.backend = borrow(plan.plugin().info.id);
  event.source = borrow(plan.pipeline.sourceName);
  event.key = borrow(hex);
  event.reason = borrow(reason);
  context.settings.compileListener(context.settings.user, &event);
}

Result<PipelineResult> Compilation::runStages() const {
  if (!context.workers)
    return runPipeline(plan.plugin(), plan.options, plan.stages, plan.pipeline,
                       context.log, context.trace);
  TraceSpan span(context.trace, "stage", "stages in a process of their own");
  span.argument("plugin", plan.plugin().info.id);
  return context.workers->run(plan);
}

Result<std::unique_ptr<Artifact>>
Compilation::produce(const std::string &cacheReason) {
  std::string reason = cacheReason;
  if (std::string change = context.history.explain(
          plan.plugin().info.id, std::string(plan.pipeline.sourceName),
          plan.ingredients);
      !change.empty())
    reason += "; " + change;
  tellListener(reason);
  Result<PipelineResult> ran = runStages();
  if (!ran)
    return ran.failure();
  std::unique_ptr<Artifact> result = emptyResult();
  const Stage &last = plan.stages[plan.pipeline.last];
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
static void useEntry(Artifact &result, const CacheEntry &entry) {
  result.storage = {};
  result.output = entry.body;
  result.path = entry.path;
  result.keepAlive = entry.storage;
}

Result<std::unique_ptr<Artifact>>
Compilation::produceAndStore(const std::string &reason) {
  Result<std::unique_ptr<Artifact>> made = produce(reason);
  if (!made)
    return made;
  Artifact &result = **made;
  useEntry(result, context.cache->put(plan.key, {std::move(result.storage),
                                                 result.encodeRecord()}));
  return made;
}

Result<std::unique_ptr<Artifact>>
Compilation::fromEntry(const CacheEntry &entry) const {
  std::unique_ptr<Artifact> result = emptyResult();
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

Result<std::unique_ptr<Artifact>> Compilation::getOnly() {
  std::string reason =
      context.cache ? "the request bypasses it" : "there is none";
  if (isCacheable()) {
    CacheLookup found = context.cache->get(plan.key);
    reason = found.missReason;
    if (found.entry) {
      Result<std::unique_ptr<Artifact>> cached = fromEntry(*found.entry);
      if (cached)
        return cached;
      reason = otherVersion(cached.failure());
    }
  }
  std::string change = context.history.explain(
      plan.plugin().info.id, std::string(plan.pipeline.sourceName),
      plan.ingredients);
  return Failure{NEREID_NOT_FOUND,
                 std::string(plan.pipeline.sourceName) +
                     ": not compiled for plugin '" + plan.plugin().info.id +
                     "', because compiling is forbidden and it is not in the "
                     "cache: " +
                     reason + (change.empty() ? "" : "; " + change)};
}

Result<std::unique_ptr<Artifact>> Compilation::getOrProduce() {
  std::unique_ptr<Artifact> made;
  Result<CacheEntry> entry = context.cache->getOrCompute(
      plan.key,
      [&](const std::string &reason) -> Result<CacheValue> {
        Result<std::unique_ptr<Artifact>> produced = produce(reason);
        if (!produced)
          return produced.failure();
        made = std::move(*produced);
        return CacheValue{std::move(made->storage), made->encodeRecord()};
      },
      plan.pipeline.cancellation);
  if (!entry && entry.failure().status == NEREID_CANCELLED)
    return cancelled(plan.pipeline.sourceName);
  if (!entry)
    return entry.failure();
  if (made) {
    useEntry(*made, *entry);
    return made;
  }
  Result<std::unique_ptr<Artifact>> cached = fromEntry(*entry);
  if (cached)
    return cached;
  return produceAndStore(otherVersion(cached.failure()));
}

Result<std::unique_ptr<Artifact>> Compilation::run() {
  CompilePolicy policy = context.settings.compilePolicy;
  if (policy == CompilePolicy::Never || (flags & NEREID_COMPILE_NEVER))
    return getOnly();
  if (!isCacheable())
    return produce(context.cache ? "the request bypasses the cache"
                                 : "there is no cache");
  if (policy == CompilePolicy::Always || (flags & NEREID_COMPILE_REFRESH))
    return produceAndStore("recompilation requested");
  return getOrProduce();
}

Result<std::unique_ptr<Artifact>>
compile(const CompileContext &context, const CompilerChoice &choice,
        const nereid_compile_request_t &request) {
  std::string_view name = view(request.source_name);
  TraceSpan span(context.trace, "compile", name.empty() ? "<source>" : name);
  span.argument("plugin", choice.compiler->info.id);
  auto planAndRun = [&]() -> Result<std::unique_ptr<Artifact>> {
    Result<CompilePlan> plan = CompilePlan::make(choice, request, context.log);
    if (!plan)
      return plan.failure();
    return Compilation(context, *plan, request.flags).run();
  };
  Result<std::unique_ptr<Artifact>> result = planAndRun();
  if (result)
    span.argument("result", (*result)->isFromCache ? "cached" : "compiled");
  else
    span.argument("result", result.failure().text);
  return result;
}

Outcome checkRequest(const CompileContext &context,
                     const CompilerChoice &choice,
                     const nereid_compile_request_t &request) {
  Result<CompilePlan> plan = CompilePlan::make(choice, request, context.log);
  if (!plan)
    return plan.failure();
  if (context.workers)
    return context.workers->check(*plan);
  return checkSession(plan->plugin(), plan->options, context.log);
}

Result<Json> describeKey(const CompileContext &context,
                         const CompilerChoice &choice,
                         const nereid_compile_request_t &request) {
  Result<CompilePlan> plan = CompilePlan::make(choice, request, context.log);
  if (!plan)
    return plan.failure();
  return Json{{"key", plan->key.hex()},
              {"ingredients", plan->ingredients.json()}};
}

} // namespace nereid::host
