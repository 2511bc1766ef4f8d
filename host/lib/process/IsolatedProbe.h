// IsolatedProbe.h - runs a plugin's entry, create and probe in a child process
// first, so that one that crashes or hangs costs a line of the report.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_PROCESS_ISOLATED_PROBE_H
#define NEREID_HOST_PROCESS_ISOLATED_PROBE_H

#include "plugin/LoadReport.h"

#include <cstdint>
#include <optional>
#include <string>

namespace nereid::host {

/// Loads the plugin at \p path, which passed preflight, in a child process, and
/// says how the child ended if not well: a crash, an exit or no end within
/// \p timeoutMs. A plugin that only refuses is left to the parent, which sees
/// the same. The child is \p helper (`nereid-probe`); without it every plugin
/// is rejected.
std::optional<Rejection> probeInChild(const std::string &path,
                                      const std::string &helper,
                                      uint32_t timeoutMs);

/// What the child does: loads \p path and tells \p pipe each step. Returns
/// normally however the plugin answers; then the child ends.
void runProbe(const std::string &path, int pipe);

} // namespace nereid::host

#endif // NEREID_HOST_PROCESS_ISOLATED_PROBE_H
