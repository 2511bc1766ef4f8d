// Measurement.cpp - warming up, and samples of one launch or a group.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "Measurement.h"

#include "profile/Sampler.h"

#include <algorithm>

namespace nereid::tool {

using Clock = std::chrono::steady_clock;

static constexpr size_t fewestSamples = 5;
// The time between two events is at least so long, if that takes few launches:
// beside it, the start of the first launch counts little.
static constexpr double groupNanoseconds = 4e6;
static constexpr double mostInGroup = 50;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Expected<void> Measurement::flush() {
  if (!plan.cold)
    return {};
  const TargetChoice &target = kernel.target();
  return detail::check(
      nereid_backend_flush_cache(target.driver->get(), target.device, 0));
}

Expected<double> Measurement::launchOnce() {
  FaultGuard guard(kernel.fault());
  auto start = Clock::now();
  if (isHost)
    timer.start();
  Expected<void> done = kernel.call().launch(grid);
  if (isHost)
    timer.stop();
  if (done)
    done = kernel.call().synchronize();
  double nanoseconds = secondsSince(start) * 1e9;
  if (!done)
    return done.error();
  return nanoseconds;
}

Expected<void> Measurement::launchGroup() {
  FaultGuard guard(kernel.fault());
  timer.start();
  Expected<void> done;
  for (uint64_t i = 0; done && i < group; ++i)
    done = kernel.call().launch(grid);
  timer.stop();
  return done ? kernel.call().synchronize() : done;
}

Expected<void> Measurement::sample() {
  if (Expected<void> flushed = flush(); !flushed)
    return flushed;
  if (plan.cold)
    if (Expected<void> done = kernel.call().synchronize(); !done)
      return done;
  Expected<double> time = launchOnce();
  if (!time)
    return time.error();
  times.endToEnd.push_back(*time);
  if (!isHost && timer.isUsable()) {
    if (Expected<void> flushed = flush(); !flushed)
      return flushed;
    if (Expected<void> done = launchGroup(); !done)
      return done;
  }
  if (std::optional<double> nanoseconds = timer.elapsed())
    times.device.push_back(*nanoseconds / static_cast<double>(group));
  return {};
}

// At least once: the first launch of a kernel also pays for pages, threads and
// deferred work of the driver.
Expected<void> Measurement::warmUp() {
  auto start = Clock::now();
  do {
    Expected<double> time = launchOnce();
    if (!time)
      return time.error();
    if (!isHost && !plan.cold)
      group = static_cast<uint64_t>(
          std::clamp(groupNanoseconds / *time, 1.0, mostInGroup));
  } while (secondsSince(start) < plan.warmup && !interrupt.isSet());
  return {};
}

bool Measurement::isDone(Clock::time_point start) const {
  size_t count = times.endToEnd.size();
  if (interrupt.isSet() || count >= MeasurementPlan::mostSamples)
    return true;
  if (plan.repeats)
    return count >= plan.repeats;
  return count >= fewestSamples && secondsSince(start) >= plan.time;
}

Expected<MeasuredTimes> Measurement::run() {
  if (Expected<void> warm = warmUp(); !warm)
    return warm.error();
  std::optional<Sampler> sampler; // of the threads that the first launch made
  if (plan.profile && !sampler.emplace().isUsable())
    return failure(NEREID_UNAVAILABLE,
                   "--profile: this system has no timers of threads' time");
  for (auto start = Clock::now(); !isDone(start);) {
    if (Expected<void> done = sample(); !done)
      return done.error();
    progress.step();
  }
  if (sampler)
    times.addresses = sampler->take();
  times.isInterrupted = interrupt.isSet();
  return std::move(times);
}

} // namespace nereid::tool
