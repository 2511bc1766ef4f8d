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

/// The one of \p all that compiles for \p target: \p wanted, unless that is
/// empty, else the one with the best score, the first of them in their order.
Result<std::shared_ptr<Plugin>> chooseCompiler(const PluginList &all,
                                               const Target &target,
                                               const std::string &wanted,
                                               const Log *log);

} // namespace nereid::host

#endif // NEREID_HOST_COMPILE_COMPILER_CHOICE_H
