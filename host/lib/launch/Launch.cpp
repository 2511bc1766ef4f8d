// Launch.cpp - the hot path: from a function to the plugin's launch slot.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/Call.h"
#include "launch/Function.h"
#include "runtime/Trace.h"
#include "support/Error.h"

namespace nereid::host {

static std::string gridText(const uint32_t grid[3]) {
  return std::to_string(grid[0]) + " x " + std::to_string(grid[1]) + " x " +
         std::to_string(grid[2]);
}

bool Function::isLaunchable(const uint32_t grid[3], const void *block,
                            uint64_t size) const noexcept {
  // The number of programs must fit 63 bits too: plugins count them.
  uint64_t plane = static_cast<uint64_t>(grid[0]) * grid[1];
  int64_t programs;
  return size == blockSize && (block || !size) && grid[0] <= gridLimits[0] &&
         grid[1] <= gridLimits[1] && grid[2] <= gridLimits[2] &&
         !__builtin_mul_overflow(plane, grid[2], &programs);
}

nereid_status_t Function::launch(const uint32_t grid[3], nereid_stream_t stream,
                                 const void *block,
                                 uint64_t size) const noexcept {
  bool isEmpty = !grid[0] || !grid[1] || !grid[2];
  // With a zero along one axis there is no program, whatever the others are.
  static constexpr uint32_t kNone[3] = {};
  if (!isLaunchable(isEmpty ? kNone : grid, block, size)) [[unlikely]]
    return refuse(grid, block, size);
  if (isEmpty) [[unlikely]]
    return NEREID_OK;
  nereid_launch_t launch = {sizeof(nereid_launch_t),
                            {grid[0], grid[1], grid[2]},
                            stream,
                            block,
                            size};
  if (!trace) [[likely]]
    return call(launch);

  int64_t start = traceNow();
  nereid_status_t status = call(launch);
  try {
    trace->add("launch", kernelName, start, {{"grid", gridText(grid)}}, true);
  } catch (...) {
    // Out of memory: the event is lost.
  }
  return status;
}

nereid_status_t Function::call(const nereid_launch_t &launch) const noexcept {
  Call call(log, plugin->info.id);
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

nereid_status_t Function::refuse(const uint32_t grid[3], const void *block,
                                 uint64_t size) const noexcept {
  return guarded([&]() -> Outcome {
    if (size != blockSize)
      return Failure{
          NEREID_INVALID_ARGUMENT,
          kernelName + ": the arguments are " + std::to_string(size) +
              " bytes, expected " + std::to_string(blockSize) + " for " +
              std::to_string(arguments.arguments.size()) + " arguments"};
    if (!block)
      return Failure{NEREID_INVALID_ARGUMENT,
                     kernelName + ": the arguments are a null pointer"};
    return Failure{NEREID_INVALID_ARGUMENT,
                   kernelName + ": the grid is " + gridText(grid) +
                       ", which exceeds the limit of " + gridText(gridLimits) +
                       " or 2^63 programs"};
  });
}

} // namespace nereid::host
