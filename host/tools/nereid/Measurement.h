// Measurement.h - launches of a kernel one after the other, and their times.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_MEASUREMENT_H
#define NEREID_TOOL_MEASUREMENT_H

#include "EventTimer.h"
#include "Interrupt.h"
#include "KernelLaunch.h"
#include "Progress.h"

#include <chrono>

namespace nereid::tool {

/// How long is measured, and how.
struct MeasurementPlan {
  static constexpr size_t mostSamples = 1 << 24;

  double warmup, time; // seconds
  uint64_t repeats;    // 0: as many as `time` allows
  bool cold;
  bool profile; // sample where time is spent
};

struct MeasuredTimes {
  std::vector<double> endToEnd, device; // nanoseconds
  bool isInterrupted = false;
  std::vector<uintptr_t> addresses; // of a Sampler, if there was one
};

/// Runs launches one by one, each waited for. A device that is not the host is
/// idle until the host has submitted the launch, which events around it would
/// count: its own time is measured in groups of launches.
class Measurement {
public:
  Measurement(ReadyKernel &kernel, Function::Grid grid,
              const MeasurementPlan &plan)
      : kernel(kernel), grid(grid), plan(plan),
        timer(*kernel.target().driver, kernel.target().device),
        isHost(kernel.target().isHostCpu()),
        progress("measuring " + kernel.name()) {}

  Expected<MeasuredTimes> run();

private:
  using Clock = std::chrono::steady_clock;

  bool isDone(Clock::time_point start) const;
  Expected<void> warmUp();
  Expected<void> flush();
  Expected<double> launchOnce();
  Expected<void> launchGroup();
  Expected<void> sample();

  ReadyKernel &kernel;
  Function::Grid grid;
  const MeasurementPlan &plan;
  EventTimer timer;
  const bool isHost;
  Progress progress;
  InterruptFlag interrupt;
  MeasuredTimes times;
  uint64_t group = 1; // launches between two events, unless isHost
};

} // namespace nereid::tool

#endif // NEREID_TOOL_MEASUREMENT_H
