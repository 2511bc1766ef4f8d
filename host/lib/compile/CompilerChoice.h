// CompilerChoice.h - who compiles for a device, and for what target.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_COMPILE_COMPILER_CHOICE_H
#define NEREID_HOST_COMPILE_COMPILER_CHOICE_H

#include "plugin/Choice.h"
#include "plugin/Target.h"

namespace nereid::host {

struct CompilerChoice {
  std::shared_ptr<Plugin> compiler;
  Target target;
};

/// What decides who compiles.
struct CompilerRules {
  const PluginList &all;
  const std::string &wanted; // id or device type; empty: whoever fits best
  const Log *log;
};

/// Who compiles for \p plugin: the plugin that is wanted; else itself if it has
/// a compiler, which must serve the target; else the one with the best score,
/// the first of them in their order. A plugin without a driver is named in
/// order to compile, so nothing else is wanted of it. The target is \p target
/// or, if that is null, the one of \p device.
Result<CompilerChoice> chooseCompiler(const std::shared_ptr<Plugin> &plugin,
                                      const nereid_target_t *target,
                                      uint32_t device,
                                      const CompilerRules &rules);

/// Who compiles for \p target, which needs no device here.
Result<std::shared_ptr<Plugin>> chooseCompiler(const Target &target,
                                               const CompilerRules &rules);

} // namespace nereid::host

#endif // NEREID_HOST_COMPILE_COMPILER_CHOICE_H
