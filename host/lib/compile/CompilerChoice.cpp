// CompilerChoice.cpp - compilers and their scores for a target.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "compile/CompilerChoice.h"

#include "abi/Call.h"
#include "runtime/Log.h"
#include "text/Suggestions.h"

namespace nereid::host {

/// How well the compiler of \p plugin serves \p target; 0: not at all.
static Result<int32_t> scoreTarget(const Plugin &plugin, const Target &target,
                                   const Log *log) {
  int32_t score = 0;
  nereid_target_t raw = target.get();
  Call call(log, plugin.info);
  nereid_status_t status = call.run([&] {
    return plugin.compiler.score_target(plugin.state, &raw, &score, call.get());
  });
  if (status != NEREID_OK)
    return call.failure(status, "score_target");
  return score;
}

static Outcome checkScore(const Plugin &plugin, const Target &target,
                          const Log *log) {
  Result<int32_t> score = scoreTarget(plugin, target, log);
  if (!score)
    return score.failure();
  if (*score <= 0)
    return Failure{NEREID_UNIMPLEMENTED, "plugin '" + plugin.info.id +
                                             "' does not compile for " +
                                             target.description()};
  return {};
}

static Result<std::shared_ptr<Plugin>>
namedCompiler(const Target &target, const CompilerRules &rules) {
  std::shared_ptr<Plugin> plugin = findPlugin(rules.all, rules.wanted);
  if (!plugin) {
    std::vector<std::string> names;
    for (const std::shared_ptr<Plugin> &other : rules.all)
      if (other->hasCompiler)
        names.push_back(other->info.id);
    return Failure{NEREID_NOT_FOUND, "no plugin is called '" + rules.wanted +
                                         "', which is to compile" +
                                         suggestNames(rules.wanted, names)};
  }
  if (!plugin->hasCompiler)
    return Failure{NEREID_UNIMPLEMENTED, "plugin '" + plugin->info.id +
                                             "', which is to compile, has no "
                                             "compiler"};
  if (Outcome checked = checkScore(*plugin, target, rules.log); !checked)
    return checked.failure();
  return plugin;
}

/// For a device type that no plugin has: those that may be meant.
static std::string suggestDeviceTypes(const Target &target,
                                      const PluginList &plugins) {
  std::vector<std::string> types;
  for (const std::shared_ptr<Plugin> &plugin : plugins)
    if (plugin->info.deviceType == target.backend)
      return {};
    else
      types.push_back(plugin->info.deviceType);
  std::vector<std::string> near = nearestNames(target.backend, types);
  return near.empty() ? std::string()
                      : "; did you mean " + quotedList(near, " or ");
}

Result<std::shared_ptr<Plugin>> chooseCompiler(const Target &target,
                                               const CompilerRules &rules) {
  if (!rules.wanted.empty())
    return namedCompiler(target, rules);
  std::shared_ptr<Plugin> best;
  int32_t bestScore = 0;
  std::string refusals;
  for (const std::shared_ptr<Plugin> &other : rules.all) {
    if (!other->hasCompiler)
      continue;
    // A compiler that fails to score does not block the others.
    Result<int32_t> score = scoreTarget(*other, target, rules.log);
    if (!score) {
      refusals += "\nnote: " + score.failure().text;
    } else if (*score > bestScore) {
      best = other;
      bestScore = *score;
    }
  }
  if (best)
    return best;
  return Failure{NEREID_UNIMPLEMENTED,
                 "no plugin compiles for " + target.description() +
                     suggestDeviceTypes(target, rules.all) + refusals};
}

Result<CompilerChoice> chooseCompiler(const std::shared_ptr<Plugin> &plugin,
                                      const nereid_target_t *given,
                                      uint32_t device,
                                      const CompilerRules &rules) {
  if (!given && !plugin->hasDriver)
    return Failure{NEREID_INVALID_ARGUMENT,
                   "plugin '" + plugin->info.id +
                       "' has no driver, so the target must be given"};
  Result<Target> target = given ? Target::copy(*given)
                                : Target::ofDevice(*plugin, device, rules.log);
  if (!target)
    return target.failure();
  if (plugin->hasCompiler && (rules.wanted.empty() || !plugin->hasDriver)) {
    if (Outcome checked = checkScore(*plugin, *target, rules.log); !checked)
      return checked.failure();
    return CompilerChoice{plugin, std::move(*target)};
  }
  Result<std::shared_ptr<Plugin>> chosen = chooseCompiler(*target, rules);
  if (!chosen && rules.wanted.empty())
    return Failure{chosen.failure().status, "plugin '" + plugin->info.id +
                                                "' has no compiler, and " +
                                                chosen.failure().text};
  if (!chosen)
    return chosen.failure();
  return CompilerChoice{std::move(*chosen), std::move(*target)};
}

} // namespace nereid::host
