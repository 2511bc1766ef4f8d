// RunVerb.cpp - `nereid run`: launches a kernel once; saves and compares what
// it wrote.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "KernelLaunch.h"
#include "Outputs.h"
#include "Progress.h"
#include "Text.h"
#include "Verb.h"

namespace nereid::tool {

namespace {
struct Options : LaunchOptions {
  std::vector<std::string> saves;
  std::vector<std::string> expectations;
};
} // namespace

static Expected<double> launchOnce(ReadyKernel &kernel, Function::Grid grid) {
  Progress progress("running " + kernel.name());
  FaultGuard guard(kernel.fault());
  auto start = std::chrono::steady_clock::now();
  Expected<void> done = kernel.call().launch(grid);
  if (done)
    done = kernel.call().synchronize();
  std::chrono::duration<double, std::nano> time =
      std::chrono::steady_clock::now() - start;
  if (!done)
    return done.error();
  return time.count();
}

static Expected<int> run(Session &session, const Options &options) {
  Expected<LaunchRequest> request = LaunchRequest::parse(options);
  if (!request)
    return request.error();
  Expected<std::vector<OutputRequest>> wishes =
      parseOutputs(options.saves, options.expectations);
  if (!wishes)
    return wishes.error();
  auto kernel = ReadyKernel::prepare(session, options, *request);
  if (!kernel)
    return kernel.error();
  Outputs outputs((*kernel)->function(), request->values);
  if (Expected<void> bound = outputs.bind(std::move(*wishes)); !bound)
    return bound.error();
  Expected<double> time = launchOnce(**kernel, request->grid);
  if (!time)
    return time.error();
  if (Expected<void> done = outputs.finish((*kernel)->call()); !done)
    return done.error();

  Json document = (*kernel)->json(request->grid);
  document["nanoseconds"] = *time;
  document["matches"] = outputs.matches();
  document["arguments"] = outputs.json();
  session.output.document(document);
  session.output.text((*kernel)->heading(request->grid) + "launch   " +
                      durationText(*time) + "\n\n" + outputs.text());
  if (!outputs.matches())
    return failure(workFailed, (*kernel)->name() +
                                   ": an output differs from what --expect "
                                   "names");
  return exitOk;
}

Verb declareRun(CLI::App &parent) {
  CLI::App *app =
      parent.add_subcommand("run", "launch a kernel; save, compare outputs");
  auto options = std::make_shared<Options>();
  declareLaunchOptions(*app, *options);
  app->add_option("--save", options->saves,
                  "write argument N, an index or a name, after the launch")
      ->type_name("N=FILE.npy")
      ->allow_extra_args(false)
      ->take_all();
  app->add_option("--expect", options->expectations,
                  "compare: N=FILE.npy[,RTOL,ATOL]")
      ->type_name("N=FILE.npy,...")
      ->allow_extra_args(false)
      ->take_all();
  return {app, "run KERNEL --grid X[,Y[,Z]] ARG... [options]",
          std::string(argumentNotes) +
              "\nExample:\n"
              "  nereid run add.ttir --grid 4 f32[4096]=range "
              "f32[4096]=random:1 \\\n"
              "    f32[4096]=zeros i32=4096 --save 2=sum.npy\n",
          [options](Session &session) { return run(session, *options); }};
}

} // namespace nereid::tool
