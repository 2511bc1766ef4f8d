// CompilerChoice.cpp - compilers and what they say of a target.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "compile/CompilerChoice.h"

#include "abi/Call.h"
#include "runtime/Log.h"

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

Result<std::shared_ptr<Plugin>>
chooseCompiler(const std::shared_ptr<Plugin> &plugin, const PluginList &all,
               const Target &target, const Log *log) {
  if (plugin->hasCompiler)
    return plugin;
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
                 "plugin '" + plugin->info.id +
                     "' has no compiler, and no other plugin compiles for " +
                     target.description() + refusals};
}

} // namespace nereid::host
