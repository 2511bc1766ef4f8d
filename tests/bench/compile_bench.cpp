// compile_bench.cpp - cold compiles in a warm process: TTIR to image, without
// the cache, for the files named on the command line.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   compile_bench KERNEL.ttir... [--benchmark_...]

#include "nereid/host.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

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

static void compile(benchmark::State &state, nereid_backend_t *backend,
                    const std::string &path) {
  std::string source = readFile(path);
  nereid_compile_request_t request = {};
  request.struct_size = sizeof request;
  request.flags = NEREID_COMPILE_NO_CACHE;
  request.source = {source.data(), source.size()};
  request.source_name = borrow(path);
  for (auto _ : state) {
    nereid_artifact_t *artifact = nullptr;
    check(nereid_compile(backend, &request, &artifact));
    nereid_artifact_destroy(artifact);
  }
}

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  nereid_runtime_t *runtime = nullptr;
  nereid_backend_t *backend = nullptr;
  check(nereid_runtime_create(nullptr, &runtime));
  check(nereid_runtime_backend(runtime, {"cpu", 3}, &backend));
  for (int i = 1; i < argc; ++i) {
    std::string path = argv[i];
    std::string name = path.substr(path.find_last_of('/') + 1);
    benchmark::RegisterBenchmark(name.c_str(), [backend,
                                                path](benchmark::State &state) {
      compile(state, backend, path);
    })->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  nereid_runtime_destroy(runtime);
  return 0;
}
