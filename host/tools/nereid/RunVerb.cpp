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

static Expected<int64_t> launchOnce(ReadyKernel &kernel, Function::Grid grid) {
  Progress progress("running " + kernel.name());
  FaultGuard guard(kernel.fault());
  auto start = std::chrono::steady_clock::now();
  Expected<void> done = kernel.call().launch(grid);
  if (done)
    done = kernel.call().synchronize();
  std::chrono::nanoseconds time = std::chrono::steady_clock::now() - start;
  if (!done)
    return done.error();
  return time.count();
}

static Expected<int> run(Session &session, Options options) {
  Expected<Manifest> manifest = options.readManifest();
  if (!manifest)
    return manifest.error();
  if (options.expectations.empty())
    options.expectations = manifest->expectations;
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
  Expected<int64_t> time = launchOnce(**kernel, request->grid);
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
                      durationText(static_cast<double>(*time)) + "\n\n" +
                      outputs.text());
  if (!outputs.matches())
    return failure(workFailed, (*kernel)->name() +
                                   ": an output differs from what --expect "
                                   "names");
  return exitOk;
}

Verb runVerb() {
  auto options = std::make_shared<Options>();
  Verb verb = {"run",
               "launch a kernel; save, compare outputs",
               "run KERNEL --grid X[,Y[,Z]] ARG... [options]",
               std::string(argumentNotes) +
                   "\nExample:\n"
                   "  nereid run add.ttir --grid 4 f32[4096]=range "
                   "f32[4096]=random:1 \\\n"
                   "    f32[4096]=zeros i32=4096 --save 2=sum.npy\n",
               launchOptions(*options),
               [options](Session &session) { return run(session, *options); }};
  addOptions(verb.options, inputOptions(*options));
  addOptions(verb.options,
             {{"--save", &options->saves, "N=FILE.npy",
               "write argument N, an index or a name, after the launch"},
              {"--expect", &options->expectations, "N=FILE.npy,...",
               "compare: N=FILE.npy[,RTOL,ATOL]"}});
  return verb;
}

} // namespace nereid::tool
