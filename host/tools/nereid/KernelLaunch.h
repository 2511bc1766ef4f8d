// KernelLaunch.h - grid and arguments on the command line, and the kernel made
// ready with them; shared by the verbs run and bench.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#ifndef NEREID_TOOL_KERNELLAUNCH_H
#define NEREID_TOOL_KERNELLAUNCH_H

#include "FaultGuard.h"
#include "KernelCall.h"
#include "KernelSource.h"
#include "Manifest.h"

namespace nereid::tool {

struct LaunchOptions : CompileOptions {
  std::string grid;
  std::vector<std::string> arguments;

  /// If the kernel is a manifest, takes from it what the command line did not
  /// give, and passes the rest of it on.
  Expected<Manifest> readManifest();
};

/// Those of compileOptions(), ARG and --grid.
std::vector<OptionSpec> launchOptions(LaunchOptions &options);

/// The help's lines about ARG.
extern const char *const argumentNotes;

/// The command line's part of a launch, checked.
struct LaunchRequest {
  Function::Grid grid;
  std::vector<ArgumentValue> values;

  static Expected<LaunchRequest> parse(const LaunchOptions &options);
};

/// A kernel with its arguments on the device. The parts refer to each other,
/// so it stays where it was made.
class ReadyKernel {
public:
  /// Compiles, loads, checks the arguments and copies them. `request` outlives
  /// the result.
  static Expected<std::unique_ptr<ReadyKernel>>
  prepare(Session &session, const LaunchOptions &options,
          const LaunchRequest &request);

  const TargetChoice &target() const { return kernel.choice; }
  const Json &facts() const { return kernel.facts; }
  const CompiledKernel &source() const { return kernel; }
  const std::string &name() const { return kernelName; }
  const Function &function() const { return loaded; }
  KernelCall &call() { return *prepared; }
  /// The message for an invalid memory access of a launch.
  const PreparedError &fault() const { return faultMessage; }

  /// Kernel, target and grid, how they are printed and as JSON.
  std::string heading(Function::Grid grid) const;
  Json json(Function::Grid grid) const;

private:
  ReadyKernel(CompiledKernel kernel, Function function);

  CompiledKernel kernel;
  Function loaded;
  std::string kernelName;
  PreparedError faultMessage;
  std::optional<KernelCall> prepared; // before `loaded` goes its memory
};

} // namespace nereid::tool

#endif // NEREID_TOOL_KERNELLAUNCH_H
