// Compile.cpp - compiles a plan on several threads.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "build/Compile.h"

#include "text/ShortTarget.h"

#include <atomic>
#include <thread>

namespace nereid::tool {

std::vector<std::string> splitTargets(const std::string &list) {
  std::vector<std::string> names;
  size_t at = 0;
  while (at <= list.size()) {
    size_t comma = std::min(list.find(',', at), list.size());
    std::string item = list.substr(at, comma - at);
    bool isFeature = item.starts_with('+') || item.starts_with('-');
    if (isFeature && !names.empty())
      names.back() += ',' + item;
    else if (!item.empty())
      names.push_back(item);
    at = comma + 1;
  }
  return names;
}

static Expected<BuildTarget> resolve(Runtime &runtime,
                                     const std::string &name) {
  Expected<TargetChoice> choice = chooseTarget(runtime, name, false);
  if (!choice)
    return choice.error();
  BuildTarget made = {name.empty() ? choice->name() : name,
                      *choice,
                      detail::sized<nereid_target_t>(),
                      {}};
  if (made.choice.target) {
    made.target = *made.choice.target;
  } else {
    const Backend &driver =
        made.choice.driver ? *made.choice.driver : made.choice.compiler;
    nereid_status_t status =
        nereid_backend_target(driver.get(), made.choice.device, &made.target);
    if (status != NEREID_OK)
      return detail::lastError(status);
  }
  Expected<Json> schema = optionSchema(made.choice);
  if (!schema)
    return schema.error();
  for (const Json &option : *schema)
    made.options.insert(option.value("name", ""));
  return made;
}

Expected<std::vector<BuildTarget>>
resolveTargets(Runtime &runtime, const std::vector<std::string> &names) {
  std::vector<BuildTarget> targets;
  for (const std::string &name : names) {
    Expected<BuildTarget> target = resolve(runtime, name);
    if (!target)
      return target.error();
    auto same = [&](nereid_string_t a, nereid_string_t b) {
      return detail::view(a) == detail::view(b);
    };
    for (const BuildTarget &other : targets)
      if (same(other.target.backend, target->target.backend) &&
          same(other.target.arch, target->target.arch) &&
          same(other.target.features, target->target.features) &&
          other.target.warp_size == target->target.warp_size)
        return invalid("targets '" + shortTarget(other.name) + "' and '" +
                       shortTarget(target->name) + "' are the same");
    targets.push_back(std::move(*target));
  }
  return targets;
}

std::vector<nereid_value_t>
optionsFor(const PlannedKernel &kernel, const std::set<std::string> *known,
           const std::vector<nereid_value_t> &more) {
  std::vector<nereid_value_t> values;
  for (const auto &[name, text] : kernel.options) {
    if (known && !known->contains(name))
      continue;
    bool isGiven = std::any_of(more.begin(), more.end(), [&](const auto &each) {
      return detail::view(each.name) == name;
    });
    if (isGiven)
      continue;
    nereid_value_t value = {};
    value.name = detail::borrow(name);
    value.type = NEREID_TYPE_STRING;
    value.text = detail::borrow(text);
    values.push_back(value);
  }
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

// What is wrong with the arguments of a compiled kernel; empty if nothing: an
// archive whose images take other arguments than it declares cannot be
// launched.
static std::string argumentProblem(const nereid_artifact_info_t &info,
                                   const PlannedKernel &kernel,
                                   const PlannedVariant &variant) {
  for (uint64_t i = 0; i < info.metadata_count; ++i) {
    const nereid_value_t &value = info.metadata[i];
    if (detail::view(value.name) != "argument_types" ||
        value.type != NEREID_TYPE_STRING_LIST)
      continue;
    if (value.list_size != variant.parameters.size())
      return "its TTIR takes " + std::to_string(value.list_size) +
             " arguments, " + std::to_string(variant.parameters.size()) +
             " are declared";
    const auto *types = static_cast<const nereid_string_t *>(value.list);
    for (uint64_t p = 0; p < value.list_size; ++p) {
      const auto &[name, declared] = kernel.arguments[variant.parameters[p]];
      std::string_view found = detail::view(types[p]);
      if (found.starts_with('*') != declared.starts_with('*'))
        return "its TTIR takes argument '" + name + "' as '" +
               std::string(found) + "', declared is '" + declared + "'";
    }
  }
  return {};
}

// Compiles one image on this thread.
static void run(BuildJob &job, const BuildPlan &plan, const BuildTarget &target,
                const std::vector<nereid_value_t> &more, bool isFresh,
                const InterruptFlag &interrupt) {
  const PlannedKernel &kernel = plan.kernels[job.kernel];
  const PlannedVariant &variant = kernel.variants[job.variant];
  std::vector<nereid_value_t> values =
      optionsFor(kernel, &target.options, more);
  auto request = detail::sized<nereid_compile_request_t>();
  request.flags = isFresh ? NEREID_COMPILE_NO_CACHE : 0u;
  request.source = {variant.ttir.data(), variant.ttir.size()};
  request.source_name = detail::borrow(variant.source);
  request.target = target.choice.request();
  request.device = target.choice.device;
  request.options = values.data();
  request.option_count = values.size();
  request.cancelled = [](void *user) -> int32_t {
    return static_cast<const InterruptFlag *>(user)->isSet();
  };
  request.cancelled_user = const_cast<InterruptFlag *>(&interrupt);
  auto start = std::chrono::steady_clock::now();
  Expected<Artifact> artifact = target.choice.compiler.compile(request);
  job.nanoseconds =
      std::chrono::nanoseconds(std::chrono::steady_clock::now() - start)
          .count();
  job.isDone = artifact || artifact.error().status != NEREID_CANCELLED;
  if (!artifact) {
    job.error = artifact.error().text;
    return;
  }
  nereid_artifact_info_t info = artifact->info();
  if (!info.is_image) {
    job.error = "error: " + variant.source + ": plugin '" +
                std::string(detail::view(target.choice.compiler.info().id)) +
                "' makes '" + std::string(detail::view(info.kind)) +
                "' and no image for target '" + shortTarget(target.name) + "'";
    return;
  }
  if (std::string problem = argumentProblem(info, kernel, variant);
      !problem.empty()) {
    job.error = "error: " + variant.source + ": kernel '" + kernel.name +
                "': " + problem;
    return;
  }
  job.artifact = std::move(*artifact);
}

Expected<std::vector<BuildJob>>
compilePlan(const BuildPlan &plan, const std::vector<BuildTarget> &targets,
            const CompileSettings &settings, BuildProgress &progress,
            const InterruptFlag &interrupt) {
  auto more = parseOptionTexts(*settings.values);
  if (!more)
    return more.error();
  std::vector<BuildJob> jobs;
  for (size_t k = 0; k < plan.kernels.size(); ++k)
    for (size_t v = 0; v < plan.kernels[k].variants.size(); ++v)
      for (size_t t = 0; t < targets.size(); ++t) {
        if (!plan.kernels[k].targets.empty() &&
            !plan.kernels[k].targets.contains(t))
          continue;
        BuildJob job = {};
        job.kernel = k, job.variant = v, job.target = t;
        jobs.push_back(std::move(job));
      }
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i = next++; i < jobs.size() && !interrupt.isSet(); i = next++) {
      BuildJob &job = jobs[i];
      run(job, plan, targets[job.target], *more, settings.isFresh, interrupt);
      if (!job.isDone)
        return; // interrupted
      progress.step(plan.kernels[job.kernel].name, targets[job.target].name,
                    std::chrono::nanoseconds(job.nanoseconds),
                    job.artifact && job.artifact->info().from_cache,
                    job.artifact.has_value());
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < settings.threads && i < jobs.size(); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  return jobs;
}

} // namespace nereid::tool
