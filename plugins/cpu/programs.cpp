// programs.cpp - running the programs of a launch, on one thread or several.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "programs.h"

#include "scratch.h"
#include "streaming.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace nereid::cpu {

/// The axes of the grid, that along which programs run first first.
static std::array<unsigned, 3> axesOf(uint32_t flags) {
  if (flags & NEREID_CPU_LAUNCH_ALONG_Y)
    return {1, 0, 2};
  if (flags & NEREID_CPU_LAUNCH_ALONG_Z)
    return {2, 1, 0};
  return {0, 1, 2};
}

namespace {
/// The coordinates of a program; x varies fastest, or another axis that takes
/// the place of x.
struct Program {
  uint32_t index[3];
  Program(uint64_t number, const nereid_cpu_launch_t &launch) {
    for (unsigned axis : axesOf(launch.flags)) {
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

bool runChunk(void *context, uint64_t first, uint64_t count) {
  Launch &launch = *static_cast<Launch *>(context);
  return runPrograms(launch, launch.shared, first, count);
}

bool runAlone(Launch &launch, uint64_t programs, Communication &communication) {
  if (!communication.isExclusive())
    return runPrograms(launch, launch.shared, 0, programs);
  launch.shared.flags |= NEREID_CPU_LAUNCH_EXCLUSIVE;
  // As many as may take turns: alone, a program of a loop over every 64th piece
  // of 16 KiB read 0.8 times as fast on a Zen 4, and over every second half as
  // fast.
  constexpr uint64_t kFewest = 64;
  uint64_t chunk = std::max(programs / kChunksPerThread, kFewest);
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

/// The `run` of a Job whose items are ids along the disjoint axis.
static bool runIds(void *context, uint64_t first, uint64_t count) {
  Launch &launch = *static_cast<Launch *>(context);
  const uint32_t *grid = launch.shared.grid;
  // Programs of successive ids have successive numbers.
  uint64_t inside = 1, outside = 1;
  bool isInside = true;
  for (unsigned axis : axesOf(launch.shared.flags)) {
    if (axis == launch.kernel.image.disjoint_axis)
      isInside = false;
    else
      (isInside ? inside : outside) *= grid[axis];
  }
  uint64_t distance = inside * grid[launch.kernel.image.disjoint_axis];
  for (uint64_t group = 0; group < outside; ++group)
    if (!runPrograms(launch, launch.shared, group * distance + first * inside,
                     count * inside))
      return false;
  return true;
}

bool runDisjoint(Launch &launch, const Threads &threads) {
  launch.shared.flags |= NEREID_CPU_LAUNCH_EXCLUSIVE;
  uint64_t ids = launch.shared.grid[launch.kernel.image.disjoint_axis];
  uint64_t chunk = (ids + threads.count - 1) / threads.count;
  return launch.kernel.state->pool.run(
      {runIds, &launch, ids, chunk, false, threads.isShort}, threads.count);
}

bool runParts(void *context, uint64_t first, uint64_t count) {
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

} // namespace nereid::cpu
