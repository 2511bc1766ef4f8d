// Function.h - a kernel that is ready to launch.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_HOST_LAUNCH_FUNCTION_H
#define NEREID_HOST_LAUNCH_FUNCTION_H

#include "launch/Arguments.h"
#include "plugin/Plugin.h"

#include <memory>
#include <string>

namespace nereid::host {

class Artifact;
class Log;
class Trace;

/// A loaded module and one kernel of it. What a launch needs was looked up
/// when it was made.
class Function {
public:
  /// Loads the image of \p compiled on \p device of \p plugin.
  static Result<std::unique_ptr<Function>> load(std::shared_ptr<Plugin> plugin,
                                                uint32_t device,
                                                const Artifact &artifact,
                                                const Log *log, Trace *trace);
  ~Function();
  Function(const Function &) = delete;
  Function &operator=(const Function &) = delete;

  /// One indirect call above the checks. Takes no lock, does not allocate and
  /// does not log unless it fails or a trace is on.
  nereid_status_t launch(const nereid_launch_t &launch) const noexcept;

  const std::string &name() const { return kernelName; }
  const ArgumentLayout &layout() const { return arguments; }
  const nereid_kernel_info_t &resources() const { return info; }
  /// Bytes of device memory that each program needs, and their alignment.
  uint64_t scratchBytes() const { return scratchSize; }
  uint64_t scratchAlignmentBytes() const { return scratchAlignment; }

private:
  Function() = default;
  Outcome resolve(uint32_t device, const Artifact &artifact);
  Outcome readGridLimits(uint32_t device);
  Outcome readLaunchFacts(const Values &metadata);
  bool isLaunchable(const nereid_launch_t &launch) const noexcept;
  bool isUnusual(const nereid_launch_t &launch) const noexcept;
  nereid_status_t launchUnusual(const nereid_launch_t &launch) const noexcept;
  nereid_status_t refuse(const nereid_launch_t &launch) const noexcept;
  nereid_status_t call(const nereid_launch_t &launch) const noexcept;

  // Members that a launch reads come first, to share one cache line.
  decltype(nereid_driver_t::launch) slot = nullptr;
  nereid_kernel_t *kernel = nullptr;
  uint64_t blockSize = 0;
  uint32_t gridLimits[3] = {INT32_MAX, INT32_MAX, INT32_MAX};
  uint32_t flags = 0; // that each launch has
  uint64_t scratchSize = 0;
  Trace *trace = nullptr;
  uint64_t scratchAlignment = 0;

  nereid_module_t *module = nullptr;
  const Log *log = nullptr;
  std::shared_ptr<Plugin> plugin;
  std::string kernelName;
  ArgumentLayout arguments;
  nereid_kernel_info_t info = {};
};

} // namespace nereid::host

#endif // NEREID_HOST_LAUNCH_FUNCTION_H
