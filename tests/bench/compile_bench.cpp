// compile_bench.cpp - cold compiles in a warm process: TTIR to image, without
// the cache, for the files named on the command line.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   compile_bench [--target TARGET] KERNEL.ttir... [--benchmark_...]
//
// TARGET is a plugin's id, for its first device, or a target in full:
// vulkan:PROFILE:FEATURES:SUBGROUP.

#include "nereid/host.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

static nereid_string_t borrow(const std::string &text) {
  return {text.data(), text.size()};
}

static void check(nereid_status_t status) {
  if (status == NEREID_OK)
    return;
  nereid_string_t reasons = nereid_error();
  std::fprintf(stderr, "%.*s\n", static_cast<int>(reasons.size), reasons.data);
  std::exit(1);
}

static std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
    std::exit(1);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What to compile for; the strings live as long as this.
class Target {
public:
  explicit Target(const std::string &text) {
    std::istringstream stream(text);
    for (std::string *field : {&plugin, &arch, &features, &subgroup})
      std::getline(stream, *field, ':');
    if (arch.empty())
      return; // its first device
    target.emplace();
    target->struct_size = sizeof *target;
    target->warp_size = std::atoi(subgroup.c_str());
    target->backend = borrow(plugin);
    target->arch = borrow(arch);
    target->features = borrow(features);
  }
  Target(const Target &) = delete;
  Target &operator=(const Target &) = delete;

  nereid_string_t id() const { return borrow(plugin); }
  const nereid_target_t *get() const { return target ? &*target : nullptr; }

private:
  std::string plugin, arch, features, subgroup;
  std::optional<nereid_target_t> target;
};

static void compile(benchmark::State &state, nereid_backend_t *backend,
                    const Target &target, const std::string &path) {
  std::string source = readFile(path);
  nereid_compile_request_t request = {};
  request.struct_size = sizeof request;
  request.flags = NEREID_COMPILE_NO_CACHE;
  request.source = {source.data(), source.size()};
  request.source_name = borrow(path);
  request.target = target.get();
  for (auto _ : state) {
    nereid_artifact_t *artifact = nullptr;
    if (nereid_compile(backend, &request, &artifact) != NEREID_OK) {
      nereid_string_t reasons = nereid_error();
      state.SkipWithError(std::string(reasons.data, reasons.size).c_str());
      break;
    }
    nereid_artifact_destroy(artifact);
  }
}

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  int first = 1;
  std::string name = "cpu";
  if (argc > 2 && argv[1] == std::string_view("--target")) {
    name = argv[2];
    first = 3;
  }
  Target target(name);
  nereid_runtime_t *runtime = nullptr;
  nereid_backend_t *backend = nullptr;
  check(nereid_runtime_create(nullptr, &runtime));
  check(nereid_runtime_backend(runtime, target.id(), &backend));
  for (int i = first; i < argc; ++i) {
    std::string path = argv[i];
    benchmark::RegisterBenchmark(
        path.c_str(),
        [backend, &target, path](benchmark::State &state) {
          compile(state, backend, target, path);
        })
        ->Unit(benchmark::kMillisecond)
        ->MeasureProcessCPUTime();
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  nereid_runtime_destroy(runtime);
  return 0;
}
