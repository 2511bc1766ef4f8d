// CompilerChoice.h - which plugin compiles for a device.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_COMPILE_COMPILER_CHOICE_H
#define NEREID_HOST_COMPILE_COMPILER_CHOICE_H

#include "plugin/Choice.h"
#include "plugin/Target.h"

namespace nereid::host {

/// How well \p plugin's compiler serves \p target; 0: not at all.
Result<int32_t> scoreTarget(const Plugin &plugin, const Target &target,
                            const Log *log);

/// Itself, if \p plugin compiles; for one that only drives, the one of \p all
/// with the best score for \p target, the first of them in their order.
Result<std::shared_ptr<Plugin>>
chooseCompiler(const std::shared_ptr<Plugin> &plugin, const PluginList &all,
               const Target &target, const Log *log);

} // namespace nereid::host

#endif // NEREID_HOST_COMPILE_COMPILER_CHOICE_H
