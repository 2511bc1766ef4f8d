// programs.h - running the programs of a launch, on one thread or several.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_CPU_PROGRAMS_H
#define NEREID_CPU_PROGRAMS_H

#include "communication.h"
#include "module.h"
#include "services.h"
#include "work.h"

namespace nereid::cpu {

/// One launch; stored on the caller's stack.
struct Launch {
  const nereid_kernel_t &kernel;
  const void *arguments;
  nereid_cpu_launch_t shared;
  LaunchState state;
};

// These return false as soon as a program failed. Programs are numbered in the
// order of the launch's flags, x fastest without any.

/// The `run` of a Job whose items are programs.
bool runChunk(void *context, uint64_t first, uint64_t count);

/// The `run` of a Job whose items are parts, program by program.
bool runParts(void *context, uint64_t first, uint64_t count);

/// Runs all programs on the calling thread: without locks, in chunks, until
/// another launch waits for this one.
bool runAlone(Launch &launch, uint64_t programs, Communication &communication);

/// Runs threads that each take ids along the disjoint axis, without locks, in
/// an exclusive launch.
bool runDisjoint(Launch &launch, const Threads &threads);

// Chunks per thread: enough for load balancing, few enough to be cheap.
inline constexpr uint64_t kChunksPerThread = 8;

} // namespace nereid::cpu

#endif // NEREID_CPU_PROGRAMS_H
