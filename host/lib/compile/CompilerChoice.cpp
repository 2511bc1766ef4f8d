// CompilerChoice.cpp - compilers and what they say of a target.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "compile/CompilerChoice.h"

#include "abi/Call.h"
#include "runtime/Log.h"
#include "text/Suggestions.h"

namespace nereid::host {

Result<int32_t> scoreTarget(const Plugin &plugin, const Target &target,
                            const Log *log) {
  int32_t score = 0;
  nereid_target_t raw = target.get();
  Call call(log, plugin.info.id);
  nereid_status_t status = call.run([&] {
    return plugin.compiler.score_target(plugin.state, &raw, &score, call.get());
  });
  if (status != NEREID_OK)
    return call.failure(status, "score_target");
  return score;
}

static Result<std::shared_ptr<Plugin>> namedCompiler(const PluginList &all,
                                                     const Target &target,
                                                     const std::string &name,
                                                     const Log *log) {
  std::shared_ptr<Plugin> plugin = findPlugin(all, name);
  if (!plugin) {
    std::vector<std::string> names;
    for (const std::shared_ptr<Plugin> &other : all)
      if (other->hasCompiler)
        names.push_back(other->info.id);
    return Failure{NEREID_NOT_FOUND, "no plugin is called '" + name +
                                         "', which is to compile" +
                                         suggestNames(name, names)};
  }
  if (!plugin->hasCompiler)
    return Failure{NEREID_UNIMPLEMENTED, "plugin '" + plugin->info.id +
                                             "', which is to compile, has no "
                                             "compiler"};
  Result<int32_t> score = scoreTarget(*plugin, target, log);
  if (!score)
    return score.failure();
  if (*score <= 0)
    return Failure{NEREID_UNIMPLEMENTED, "plugin '" + plugin->info.id +
                                             "' does not compile for " +
                                             target.description()};
  return plugin;
}

Result<std::shared_ptr<Plugin>> chooseCompiler(const PluginList &all,
                                               const Target &target,
                                               const std::string &wanted,
                                               const Log *log) {
  if (!wanted.empty())
    return namedCompiler(all, target, wanted, log);
  std::shared_ptr<Plugin> best;
  int32_t bestScore = 0;
  std::string refusals;
  for (const std::shared_ptr<Plugin> &other : all) {
    if (!other->hasCompiler)
      continue;
    // One that cannot even say so does not keep the others from compiling.
    Result<int32_t> score = scoreTarget(*other, target, log);
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
                 "no plugin compiles for " + target.description() + refusals};
}

} // namespace nereid::host
