// RunCase.cpp - compiles, launches, compares.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "RunCase.h"

#include "CapturedStdout.h"
#include "Files.h"
#include "KernelCall.h"

#include <algorithm>
#include <chrono>

namespace nereid::test {

using Clock = std::chrono::steady_clock;

static double nanosecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

static Expected<Artifact> compileKernel(const Manifest &manifest,
                                        const CaseOptions &options) {
  const std::string &path = options.raw ? manifest.raw : manifest.ttir;
  Expected<std::string> source = readFile(path);
  if (!source)
    return source.error();
  nereid_compile_request_t request = {};
  request.source = {source->data(), source->size()};
  request.source_name = detail::borrow(path);
  request.device = options.target.device;
  request.options = options.values.data();
  request.option_count = options.values.size();
  Expected<Artifact> artifact = options.target.backend.compile(request);
  if (!artifact)
    return artifact.error();
  std::string name(detail::view(artifact->info().name));
  if (name != manifest.kernel)
    return invalid("the compiled kernel is called '" + name + "', expected '" +
                   manifest.kernel + "'");
  return artifact;
}

static Expected<void> keepImage(const Artifact &artifact,
                                const Manifest &manifest,
                                const std::string &folder) {
  nereid_bytes_t image = artifact.info().output;
  return writeFile(folder + "/" + manifest.name + ".so",
                   {{static_cast<const char *>(image.data), image.size}});
}

static Expected<void> judgeStdout(const Manifest &manifest,
                                  const std::vector<std::string> &found) {
  std::vector<std::string> expected =
      manifest.expectedStdout.value_or(std::vector<std::string>());
  if (found == expected)
    return {};
  auto [missing, extra] = std::mismatch(expected.begin(), expected.end(),
                                        found.begin(), found.end());
  auto line = [](auto place, auto end) {
    return place == end ? std::string("no more lines") : "'" + *place + "'";
  };
  return invalid("printed " + line(extra, found.end()) + ", expected " +
                 line(missing, expected.end()) + " (" +
                 std::to_string(found.size()) + " lines of " +
                 std::to_string(expected.size()) + ", sorted)");
}

static Expected<void> judgeFault(const Manifest &manifest,
                                 const Expected<void> &launched) {
  if (!manifest.expectedFault)
    return launched;
  std::string wanted =
      "expected a fault with '" + *manifest.expectedFault + "'";
  if (launched)
    return invalid("the launch succeeded, " + wanted);
  if (launched.error().status != NEREID_DEVICE_FAULT ||
      launched.error().text.find(*manifest.expectedFault) == std::string::npos)
    return invalid(launched.error().text + ", " + wanted);
  return {};
}

static Expected<void> judgeOutputs(const Manifest &manifest,
                                   const KernelCall &call) {
  for (const ExpectedOutput &output : manifest.outputs) {
    if (!output.expected)
      continue;
    Expected<Array> found = call.read(output.argument);
    if (!found)
      return found.error();
    Comparison result =
        compareArrays(*found, *output.expected, output.tolerance);
    if (!result.matches())
      return invalid("output " + std::to_string(output.argument) + ": " +
                     describeMismatch(result, found->shape()) + ", max abs " +
                     numberText(result.maxAbsolute) + ", max rel " +
                     numberText(result.maxRelative));
  }
  return {};
}

static Expected<double> launch(const Manifest &manifest, KernelCall &call) {
  CapturedStdout captured;
  auto start = Clock::now();
  Expected<void> launched = call.launch(manifest.grid);
  if (launched)
    launched = call.synchronize();
  double time = nanosecondsSince(start);
  std::vector<std::string> lines = captured.finish();
  Expected<void> judged = judgeFault(manifest, launched);
  if (judged)
    judged = judgeStdout(manifest, lines);
  if (!judged)
    return judged.error();
  return time;
}

Expected<CaseTimes> runCase(const Manifest &manifest,
                            const CaseOptions &options) {
  CaseTimes times;
  auto start = Clock::now();
  Expected<Artifact> artifact = compileKernel(manifest, options);
  if (!artifact)
    return artifact.error();
  times.compile = nanosecondsSince(start);
  if (!options.images.empty()) {
    Expected<void> kept = keepImage(*artifact, manifest, options.images);
    if (!kept)
      return kept.error();
    return times;
  }
  Expected<Function> function =
      options.target.backend.load(*artifact, options.target.device);
  if (!function)
    return function.error();
  Expected<void> checked =
      checkArguments(*function, manifest.kernel, manifest.values);
  if (!checked)
    return checked.error();
  Expected<KernelCall> call =
      KernelCall::prepare(options.target.backend, options.target.device,
                          *function, manifest.values);
  if (!call)
    return call.error();
  Expected<double> launched = launch(manifest, *call);
  if (!launched)
    return launched.error();
  times.launch = *launched;
  if (Expected<void> judged = judgeOutputs(manifest, *call); !judged)
    return judged.error();
  return times;
}

} // namespace nereid::test
