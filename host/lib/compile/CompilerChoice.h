// CompilerChoice.h - which plugin compiles for a device, and for what target.
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

/// The inputs of the choice.
struct CompilerRules {
  const PluginList &all;
  const std::string &wanted; // id or device type; empty: the best-scoring one
  const Log *log;
};

/// The compiler for \p plugin: the wanted plugin; else itself if it has a
/// compiler, which must support the target; else, for a driver-only plugin, the
/// first compiler with the best score. A compiler-only plugin always compiles
/// for itself. The target is \p target or, if that is null, that of \p device.
Result<CompilerChoice> chooseCompiler(const std::shared_ptr<Plugin> &plugin,
                                      const nereid_target_t *target,
                                      uint32_t device,
                                      const CompilerRules &rules);

/// The compiler for \p target, which needs no device on this machine.
Result<std::shared_ptr<Plugin>> chooseCompiler(const Target &target,
                                               const CompilerRules &rules);

} // namespace nereid::host

#endif // NEREID_HOST_COMPILE_COMPILER_CHOICE_H
