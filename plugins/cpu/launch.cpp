// launch.cpp - running the programs of a grid.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "common/text.h"
#include "communication.h"
#include "module.h"
#include "scratch.h"
#include "services.h"
#include "streaming.h"
#include "work.h"

#include <algorithm>
#include <cstring>

namespace nereid::cpu {

using namespace plugin;

// Chunks per thread: enough for load balancing, few enough to be cheap.
static constexpr uint64_t kChunksPerThread = 8;

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
  if (isGiven)
    return {isFasterAlone(kernel.image, work, most) ? 1 : most};
  return threadsFor(kernel.image, work, programs, most);
}

/// May programs of the kernel wait for each other?
static bool mayWait(const nereid_cpu_kernel_t &image) {
  return image.flags & NEREID_CPU_KERNEL_COMMUNICATES &&
         !(image.flags & NEREID_CPU_KERNEL_NEVER_WAITS);
}

namespace {
/// One launch; stored on the caller's stack.
struct Launch {
  const nereid_kernel_t &kernel;
  const void *arguments;
  nereid_cpu_launch_t shared;
  LaunchState state;
};

/// The coordinates of a program; x varies fastest, or another axis that takes
/// the place of x.
struct Program {
  uint32_t index[3];
  Program(uint64_t number, const nereid_cpu_launch_t &launch) {
    unsigned axes[3] = {0, 1, 2};
    if (launch.flags & NEREID_CPU_LAUNCH_ALONG_Y)
      std::swap(axes[0], axes[1]);
    else if (launch.flags & NEREID_CPU_LAUNCH_ALONG_Z)
      std::swap(axes[0], axes[2]);
    for (unsigned axis : axes) {
      index[axis] = static_cast<uint32_t>(number % launch.grid[axis]);
      number /= launch.grid[axis];
    }
  }
};
} // namespace

// A NaN in every floating-point type, -1 in every other.
static constexpr int kPoison = 0xff;

/// Runs one program and three together in turn, each time with scratch filled
/// by the pattern. Every other time they stream, so that tests with little data
/// cover both, and programs that can be divided are, but one of three. Half of
/// those of an exclusive launch use locks.
static bool runPoisoned(Launch &launch, nereid_cpu_launch_t shared,
                        uint64_t first, uint64_t count, void *scratch) {
  const nereid_cpu_kernel_t &image = launch.kernel.image;
  bool isPart = shared.parts > 1;
  uint64_t together = 1;
  for (uint64_t number = first; number < first + count; number += together) {
    shared.flags = (launch.shared.flags & ~NEREID_CPU_LAUNCH_STREAMS) |
                   (number % 2 ? 0 : NEREID_CPU_LAUNCH_STREAMS);
    if (number % 4 > 1)
      shared.flags &= ~NEREID_CPU_LAUNCH_EXCLUSIVE;
    Program program(number, shared);
    uint32_t parts = 1;
    if (!isPart && number % 3 < 2 &&
        isDivisible(image, launch.arguments, shared.grid, program.index))
      shared.parts = parts = std::min<uint32_t>(image.parts, 3);
    together = isPart || parts > 1 || number % 4 != 1
                   ? 1
                   : std::min<uint64_t>(3, first + count - number);
    // The last one first: where a part reads what an earlier one writes,
    // results are wrong.
    for (uint32_t left = parts; left-- > 0;) {
      if (!isPart)
        shared.part = left;
      std::memset(scratch, kPoison, image.scratch_size);
      if (image.entry(launch.arguments, &shared, program.index, together,
                      scratch))
        return false;
    }
    if (!isPart)
      shared.parts = 0;
  }
  endStreams(NEREID_CPU_LAUNCH_STREAMS);
  return true;
}

/// Runs programs, or one part of each, on the calling thread.
static bool runPrograms(Launch &launch, const nereid_cpu_launch_t &shared,
                        uint64_t first, uint64_t count) {
  const nereid_cpu_kernel_t &image = launch.kernel.image;
  void *scratch = nullptr;
  if (image.scratch_size) {
    scratch = threadScratch(image.scratch_size);
    if (!scratch) {
      launch.state.outOfMemory(image.scratch_size);
      return false;
    }
  }
  if (scratch && launch.kernel.state->poisonsScratch) [[unlikely]]
    return runPoisoned(launch, shared, first, count, scratch);
  Program program(first, shared);
  int32_t status =
      image.entry(launch.arguments, &shared, program.index, count, scratch);
  endStreams(shared.flags);
  return status == 0;
}

/// The `run` of a Job whose items are programs.
static bool runChunk(void *context, uint64_t first, uint64_t count) {
  Launch &launch = *static_cast<Launch *>(context);
  return runPrograms(launch, launch.shared, first, count);
}

/// Runs all programs on the calling thread: without locks, in chunks, until
/// another launch waits for this one.
static bool runAlone(Launch &launch, uint64_t programs,
                     Communication &communication) {
  if (!communication.isExclusive())
    return runPrograms(launch, launch.shared, 0, programs);
  launch.shared.flags |= NEREID_CPU_LAUNCH_EXCLUSIVE;
  uint64_t chunk = std::max<uint64_t>(programs / kChunksPerThread, 1);
  for (uint64_t first = 0; first < programs; first += chunk) {
    if (communication.isAwaited()) {
      communication.share();
      launch.shared.flags &= ~NEREID_CPU_LAUNCH_EXCLUSIVE;
      return runPrograms(launch, launch.shared, first, programs - first);
    }
    if (!runPrograms(launch, launch.shared, first,
                     std::min(chunk, programs - first)))
      return false;
  }
  return true;
}

/// The `run` of a Job whose items are parts, program by program.
static bool runParts(void *context, uint64_t first, uint64_t count) {
  Launch &launch = *static_cast<Launch *>(context);
  uint32_t parts = launch.shared.parts;
  for (uint64_t item = first; item < first + count; ++item) {
    nereid_cpu_launch_t shared = launch.shared;
    shared.part = static_cast<uint32_t>(item % parts);
    if (launch.kernel.state->poisonsScratch) [[unlikely]]
      shared.part = parts - 1 - shared.part; // as in runPoisoned
    Program program(item / parts, shared);
    if (!isDivisible(launch.kernel.image, launch.arguments, shared.grid,
                     program.index)) {
      if (shared.part != 0)
        continue;
      shared.parts = 0;
    }
    if (!runPrograms(launch, shared, item / parts, 1))
      return false;
  }
  return true;
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
  auto [threads, isShort] = threadsOf(*kernel, *launch, programs);
  work.shared.flags = streamingFlags(*kernel, *launch, threads);
  if (kernel->image.flags & NEREID_CPU_KERNEL_ALONG_Y)
    work.shared.flags |= NEREID_CPU_LAUNCH_ALONG_Y;
  else if (kernel->image.flags & NEREID_CPU_KERNEL_ALONG_Z)
    work.shared.flags |= NEREID_CPU_LAUNCH_ALONG_Z;
  bool complete;
  unsigned parts = partsFor(kernel->image, programs, threads);
  Communication communication(
      kernel->image,
      threads <= 1 && kernel->image.flags & NEREID_CPU_KERNEL_PLAIN_ATOMICS);
  if (threads <= 1) {
    complete = runAlone(work, programs, communication);
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
