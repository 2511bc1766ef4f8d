// kernel_runner.cpp - runs kernels exported from Triton through a plugin and
// compares what they compute with what Triton's users expect.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// One line a case, "pass NAME (times)" or "FAIL NAME: why", then a line with
// the counts. Exits with 0 if nothing failed and something ran.

#include "RunCase.h"
#include "Text.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <fnmatch.h>

using namespace nereid;
using namespace nereid::test;

namespace {
struct Options {
  std::vector<std::string> manifests;
  std::vector<std::string> values;
  std::string target = "cpu";
  std::string filter = "*";
  std::string images;
  bool raw = false;
};

struct Counts {
  size_t passed = 0, failed = 0;
};
} // namespace

static std::vector<nereid_value_t>
parseValues(const std::vector<std::string> &texts) {
  std::vector<nereid_value_t> values;
  for (const std::string &text : texts) {
    size_t equals = std::min(text.find('='), text.size());
    size_t start = std::min(equals + 1, text.size());
    nereid_value_t value = {};
    value.name = {text.data(), equals};
    value.type = NEREID_TYPE_STRING;
    value.text = {text.data() + start, text.size() - start};
    values.push_back(value);
  }
  return values;
}

static void runManifest(const std::string &path, const CaseOptions &options,
                        Counts &counts) {
  std::string name = std::filesystem::path(path).stem().string();
  Expected<Manifest> manifest = Manifest::read(path);
  if (manifest && options.raw && manifest->raw.empty())
    return; // most cases have no such module
  Expected<CaseTimes> times =
      manifest ? runCase(*manifest, options) : manifest.error();
  if (times)
    std::printf("pass %s (compile %s, launch %s)\n", name.c_str(),
                durationText(times->compile).c_str(),
                durationText(times->launch).c_str());
  else
    std::printf("FAIL %s: %s\n", name.c_str(), times.error().text.c_str());
  std::fflush(stdout);
  ++(times ? counts.passed : counts.failed);
}

static int runAll(const Options &given) {
  auto settings = detail::sized<nereid_runtime_options_t>();
  settings.host_name = detail::borrow("kernel_runner");
  // What is to be tested is the compiler.
  settings.flags = NEREID_RUNTIME_NO_CACHE;
  Expected<Runtime> runtime = Runtime::create(&settings);
  Expected<Runtime::Choice> target =
      runtime ? runtime->choose(given.target) : runtime.error();
  if (!target) {
    std::fprintf(stderr, "kernel_runner: %s\n", target.error().text.c_str());
    return 1;
  }
  CaseOptions options{*target, parseValues(given.values), given.raw,
                      given.images};
  Counts counts;
  for (const std::string &path : given.manifests)
    if (fnmatch(given.filter.c_str(),
                std::filesystem::path(path).stem().c_str(), 0) == 0)
      runManifest(path, options, counts);
  std::printf("%zu passed, %zu failed\n", counts.passed, counts.failed);
  return counts.failed == 0 && counts.passed > 0 ? 0 : 1;
}

int main(int argc, char **argv) {
  Options options;
  CLI::App app("Runs kernels exported from Triton through a plugin.");
  app.add_option("--target", options.target, "the plugin; cpu by default");
  app.add_option("--filter", options.filter, "a glob of cases' names");
  app.add_option("-O", options.values, "NAME=VALUE, for the compiler")
      ->allow_extra_args(false)
      ->take_all();
  app.add_flag("--raw", options.raw, "the modules before any pass");
  app.add_option("--images", options.images,
                 "only compile, and keep the images in this folder");
  app.add_option("MANIFEST", options.manifests)->required();
  CLI11_PARSE(app, argc, argv);
  return runAll(options);
}
