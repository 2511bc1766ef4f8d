// Sampler.h - where the threads of this process spend processor time, by
// looking at them at fixed intervals of it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_PROFILE_SAMPLER_H
#define NEREID_TOOL_PROFILE_SAMPLER_H

#include <cstdint>
#include <ctime>
#include <vector>

namespace nereid::tool {

/// Samples the threads that exist when it is made, each once per millisecond
/// of its processor time or as often as the kernel's clock ticks. One at a
/// time: it has the handler of SIGPROF.
class Sampler {
public:
  Sampler();
  ~Sampler();
  Sampler(const Sampler &) = delete;
  Sampler &operator=(const Sampler &) = delete;

  /// False if the system gives no such timer.
  bool isUsable() const { return !timers.empty(); }
  /// Ends sampling: the addresses of the instructions that were met.
  std::vector<uintptr_t> take();

private:
  void stop();

  std::vector<uintptr_t> addresses;
  std::vector<timer_t> timers;
};

} // namespace nereid::tool

#endif // NEREID_TOOL_PROFILE_SAMPLER_H
