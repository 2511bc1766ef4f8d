// launch.cpp - launching a kernel: its threads, and what failed.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "common/text.h"
#include "programs.h"
#include "streaming.h"

#include <algorithm>

namespace nereid::cpu {

using namespace plugin;

static Threads threadsOf(const nereid_kernel_t &kernel,
                         const nereid_launch_t &launch, uint64_t programs) {
  unsigned most = kernel.state->pool.threads();
  bool isOne = programs == 1 && kernel.image.parts < 2;
  if (kernel.image.flags & NEREID_CPU_KERNEL_PRINTS || isOne || most == 1)
    return {1};
  bool isGiven = kernel.threads != 0;
  if (isGiven)
    most = std::min(most, kernel.threads);
  if (isGiven && !(kernel.image.flags & NEREID_CPU_KERNEL_PLAIN_ATOMICS))
    return {most};
  ProgramWork work = workOf(kernel.image, launch.arguments, launch.grid);
  uint32_t ids = disjointIds(kernel.image, work, launch.arguments, launch.grid);
  return isGiven ? threadsWithin(kernel.image, work, most, ids)
                 : threadsFor(kernel.image, work, programs, most, ids);
}

/// May programs of the kernel wait for each other?
static bool mayWait(const nereid_cpu_kernel_t &image) {
  return image.flags & NEREID_CPU_KERNEL_COMMUNICATES &&
         !(image.flags & NEREID_CPU_KERNEL_NEVER_WAITS);
}

/// Reports why a launch failed, to its caller or to the next synchronize.
[[gnu::cold]] static nereid_status_t
reportFault(Launch &launch, nereid_stream_t stream, const nereid_call_t *call) {
  const nereid_kernel_t &kernel = launch.kernel;
  std::string message = "kernel '" + std::string(kernel.image.name) +
                        "': " + launch.state.message();
  if (call)
    return fail(call, launch.state.status(), message);
  kernel.state->faults.add(stream, message);
  return launch.state.status();
}

/// Runs programs that wait for each other in any order. Those of a kernel that
/// never waits need no thread each.
static nereid_status_t launchCooperative(Launch &launch, uint64_t programs,
                                         nereid_stream_t stream,
                                         const nereid_call_t *call) {
  Pool &pool = launch.kernel.state->pool;
  unsigned most = launch.kernel.threads
                      ? std::min(launch.kernel.threads, pool.threads())
                      : pool.threads();
  std::optional<bool> complete;
  if (programs <= most)
    complete = pool.runTogether({runChunk, &launch, programs, 1});
  if (!complete)
    return fail(call, NEREID_OUT_OF_RESOURCES,
                "a cooperative launch of " + std::to_string(programs) +
                    " programs, which must run at the same time, but there "
                    "are " +
                    std::to_string(most) + " threads");
  if (*complete && !launch.state.failed())
    return NEREID_OK;
  return reportFault(launch, stream, call);
}

nereid_status_t launch(nereid_kernel_t *kernel, const nereid_launch_t *launch,
                       const nereid_call_t *call) {
  const uint32_t *grid = launch->grid;
  uint64_t plane = uint64_t(grid[0]) * grid[1], programs;
  if (__builtin_mul_overflow(plane, uint64_t(grid[2]), &programs) ||
      programs > INT64_MAX)
    return fail(call, NEREID_INVALID_ARGUMENT,
                "the grid has more than 2^63 programs");
  if (launch->arguments_size < kernel->image.arguments_size)
    return fail(call, NEREID_INVALID_ARGUMENT,
                "the block of arguments is smaller than the kernel's");
  if (!programs)
    return NEREID_OK;

  Launch work = {*kernel,
                 launch->arguments,
                 {sizeof(nereid_cpu_launch_t),
                  {grid[0], grid[1], grid[2]},
                  &kServices,
                  nullptr,
                  0,
                  0,
                  0,
                  0},
                 LaunchState(kernel->state->printing)};
  work.shared.state = &work.state;
  bool isCooperative =
      launch->flags & NEREID_LAUNCH_COOPERATIVE && mayWait(kernel->image);
  if (isCooperative && programs > 1) [[unlikely]] {
    Communication communication(kernel->image, /*mayExclude=*/false);
    return launchCooperative(work, programs, launch->stream, call);
  }
  Threads chosen = threadsOf(*kernel, *launch, programs);
  auto [threads, isShort, isDisjoint] = chosen;
  work.shared.flags = streamingFlags(*kernel, *launch, threads);
  if (kernel->image.flags & NEREID_CPU_KERNEL_ALONG_Y)
    work.shared.flags |= NEREID_CPU_LAUNCH_ALONG_Y;
  else if (kernel->image.flags & NEREID_CPU_KERNEL_ALONG_Z)
    work.shared.flags |= NEREID_CPU_LAUNCH_ALONG_Z;
  bool complete;
  unsigned parts = partsFor(kernel->image, programs, threads);
  Communication communication(
      kernel->image, (threads <= 1 || isDisjoint) &&
                         kernel->image.flags & NEREID_CPU_KERNEL_PLAIN_ATOMICS);
  if (threads <= 1) {
    complete = runAlone(work, programs, communication);
  } else if (isDisjoint && communication.isExclusive()) {
    complete = runDisjoint(work, chosen);
  } else if (parts > 1) {
    work.shared.parts = parts;
    uint64_t items = programs * parts;
    complete = kernel->state->pool.run(
        {runParts, &work, items, 1, false, isShort},
        static_cast<unsigned>(std::min<uint64_t>(threads, items)));
  } else {
    bool waits = mayWait(kernel->image);
    uint64_t chunk = waits ? 1 : programs / (threads * kChunksPerThread);
    complete = kernel->state->pool.run(
        {runChunk, &work, programs, std::max<uint64_t>(chunk, 1), waits,
         isShort},
        static_cast<unsigned>(std::min<uint64_t>(threads, programs)));
  }
  if (complete && !work.state.failed()) [[likely]]
    return NEREID_OK;
  return reportFault(work, launch->stream, call);
}

} // namespace nereid::cpu
