// Launch.cpp - the hot path: from a function to the plugin's launch slot.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/Call.h"
#include "abi/Struct.h"
#include "launch/Function.h"
#include "runtime/Trace.h"
#include "support/Error.h"

namespace nereid::host {

static std::string gridText(const uint32_t grid[3]) {
  return std::to_string(grid[0]) + " x " + std::to_string(grid[1]) + " x " +
         std::to_string(grid[2]);
}

// The alignment of `arguments` that the ABI guarantees; descriptors of some
// devices need it.
static constexpr uint64_t blockAlignment = 64;
// The largest block that is copied to align it.
static constexpr uint64_t largestCopied = 4096;

static uint64_t programCount(const uint32_t grid[3]) {
  return static_cast<uint64_t>(grid[0]) * grid[1] * grid[2];
}

static bool isAligned(const void *block) {
  return reinterpret_cast<uintptr_t>(block) % blockAlignment == 0;
}

bool Function::isLaunchable(const nereid_launch_t &launch) const noexcept {
  const uint32_t *grid = launch.grid;
  // The number of programs must fit 63 bits too: plugins count them.
  uint64_t plane = static_cast<uint64_t>(grid[0]) * grid[1];
  int64_t programs;
  return launch.arguments_size == blockSize &&
         (launch.arguments || !blockSize) && grid[0] <= gridLimits[0] &&
         grid[1] <= gridLimits[1] && grid[2] <= gridLimits[2] &&
         !__builtin_mul_overflow(plane, grid[2], &programs);
}

// Whether the caller's struct cannot be handed on as it is.
bool Function::isUnusual(const nereid_launch_t &launch) const noexcept {
  return launch.struct_size != sizeof launch || !isAligned(launch.arguments) ||
         flags || scratchSize;
}

// A launch by a caller of another version, with an argument block that has to
// move, or of a kernel that needs more than arguments.
nereid_status_t
Function::launchUnusual(const nereid_launch_t &given) const noexcept {
  nereid_launch_t launch = readStruct(given);
  launch.flags |= flags;
  uint64_t needed;
  bool isTooLarge =
      __builtin_mul_overflow(programCount(launch.grid), scratchSize, &needed);
  if (isTooLarge || launch.scratch_size < needed ||
      (scratchSize && launch.scratch % scratchAlignment))
    return guarded([&]() -> Outcome {
      return Failure{
          NEREID_INVALID_ARGUMENT,
          kernelName + ": the scratch memory is " +
              std::to_string(launch.scratch_size) + " bytes at address " +
              std::to_string(launch.scratch) + ", expected " +
              std::to_string(scratchSize) + " for each of " +
              std::to_string(programCount(launch.grid)) +
              " programs, aligned to " + std::to_string(scratchAlignment)};
    });
  if (isAligned(launch.arguments))
    return call(launch);
  if (blockSize > largestCopied)
    return guarded([&]() -> Outcome {
      return Failure{NEREID_INVALID_ARGUMENT,
                     kernelName + ": the argument block is not aligned to " +
                         std::to_string(blockAlignment) +
                         " bytes, as one of more than " +
                         std::to_string(largestCopied) + " bytes must be"};
    });
  alignas(blockAlignment) char block[largestCopied];
  std::memcpy(block, launch.arguments, blockSize);
  launch.arguments = block;
  return call(launch);
}

nereid_status_t Function::launch(const nereid_launch_t &given) const noexcept {
  const uint32_t *grid = given.grid;
  if (!grid[0] || !grid[1] || !grid[2]) [[unlikely]] {
    // With a zero along one axis there is no program, whatever the others are.
    nereid_launch_t none = given;
    std::fill_n(none.grid, 3, 0);
    return isLaunchable(none) ? NEREID_OK : refuse(none);
  }
  if (!isLaunchable(given)) [[unlikely]]
    return refuse(given);
  auto start = [&] {
    return isUnusual(given) ? launchUnusual(given) : call(given);
  };
  if (!trace) [[likely]]
    return start();

  int64_t time = traceNow();
  nereid_status_t status = start();
  try {
    trace->add("launch", kernelName, time, {{"grid", gridText(grid)}}, true);
  } catch (...) {
    // Out of memory: the event is lost.
  }
  return status;
}

nereid_status_t Function::call(const nereid_launch_t &launch) const noexcept {
  Call call(log, plugin->info);
  nereid_status_t status =
      call.run([&] { return slot(kernel, &launch, call.get()); });
  if (status == NEREID_OK) [[likely]]
    return NEREID_OK;
  try {
    Failure failure = call.failure(status, "launch");
    return fail({failure.status, kernelName + ": " + failure.text});
  } catch (...) {
    return failFromException();
  }
}

nereid_status_t Function::refuse(const nereid_launch_t &launch) const noexcept {
  return guarded([&]() -> Outcome {
    if (launch.arguments_size != blockSize)
      return Failure{NEREID_INVALID_ARGUMENT,
                     kernelName + ": the arguments are " +
                         std::to_string(launch.arguments_size) +
                         " bytes, expected " + std::to_string(blockSize) +
                         " for " + std::to_string(arguments.arguments.size()) +
                         " arguments"};
    if (!launch.arguments && blockSize)
      return Failure{NEREID_INVALID_ARGUMENT,
                     kernelName + ": the arguments are a null pointer"};
    return Failure{NEREID_INVALID_ARGUMENT,
                   kernelName + ": the grid is " + gridText(launch.grid) +
                       ", which exceeds the limit of " + gridText(gridLimits) +
                       " or 2^63 programs"};
  });
}

} // namespace nereid::host
