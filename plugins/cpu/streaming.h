// streaming.h - which launches store past the caches.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_STREAMING_H
#define NEREID_CPU_STREAMING_H

#include "module.h"

namespace nereid::cpu {

/// True if `bytes` that `threads` threads read and write are too many to stay in
/// the caches.
bool exceedsCaches(double bytes, unsigned threads, const HostSizes &sizes);

/// NEREID_CPU_LAUNCH_STREAMS if the launch exceeds this machine's caches, else
/// 0. [hot]
uint32_t streamingFlags(const nereid_kernel_t &kernel,
                        const nereid_launch_t &launch, unsigned threads);

/// After a launch's entry returned: orders its streaming stores, if `flags` has
/// any, before what this thread stores next.
void endStreams(uint32_t flags);

} // namespace nereid::cpu

#endif // NEREID_CPU_STREAMING_H
