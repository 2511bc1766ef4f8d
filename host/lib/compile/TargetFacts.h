// TargetFacts.h - facts about a target from a compiler's extensions.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_COMPILE_TARGET_FACTS_H
#define NEREID_HOST_COMPILE_TARGET_FACTS_H

#include "abi/Values.h"
#include "plugin/Target.h"

namespace nereid::host {

/// What kernels for \p target may use; empty if \p plugin lacks the extension.
Result<Values> readFrontendFacts(const Plugin &plugin, const Target &target,
                                 const Log *log);

/// The external functions that kernels for \p target may call, as
/// nereid_backend_libdevice() returns them.
Result<Json> readLibdevice(const Plugin &plugin, const Target &target,
                           const Log *log);

} // namespace nereid::host

#endif // NEREID_HOST_COMPILE_TARGET_FACTS_H
