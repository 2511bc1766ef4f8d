// launch_bench.cpp - a launch through libnereid, and the same call of the
// plugin's function: the difference is the host's overhead.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   launch_bench extension.so [--benchmark_...]

#include "PluginFile.h"

#include "nereid/host.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

using namespace nereid::test;

static const char *pluginPath;

static void check(nereid_status_t status) {
  if (status == NEREID_OK)
    return;
  nereid_string_t reasons = nereid_error();
  std::fprintf(stderr, "%.*s\n", static_cast<int>(reasons.size), reasons.data);
  std::exit(1);
}

namespace {
/// A kernel with that many arguments, compiled by the plugin.
class Kernel {
public:
  explicit Kernel(int64_t arguments) : blockSize(arguments * 8) {
    nereid_runtime_options_t options = {};
    options.struct_size = sizeof options;
    options.flags = NEREID_RUNTIME_NO_DISCOVERY | NEREID_RUNTIME_NO_CACHE |
                    NEREID_RUNTIME_IGNORE_ENVIRONMENT;
    check(nereid_runtime_create(&options, &runtime));
    check(nereid_runtime_load(runtime, borrow(pluginPath), &backend));
    std::string source = "module { tt.func public @kernel(";
    for (int64_t i = 0; i < arguments; ++i)
      source += (i ? ", %p" : "%p") + std::to_string(i) + ": !tt.ptr<f32>";
    source += ") { tt.return } }";
    nereid_compile_request_t request = {};
    request.struct_size = sizeof request;
    request.source = {source.data(), source.size()};
    check(nereid_compile(backend, &request, &artifact));
  }
  /// Passes an address of the device as each argument.
  void allocate() {
    nereid_allocation_t request = {sizeof request, 0, 4096, 0};
    nereid_address_t address = 0;
    check(nereid_backend_allocate(backend, 0, &request, &address));
    std::fill(std::begin(block), std::end(block), address);
  }
  ~Kernel() {
    nereid_artifact_destroy(artifact);
    nereid_runtime_destroy(runtime);
  }
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  nereid_backend_t *backend = nullptr;
  nereid_artifact_t *artifact = nullptr;
  // As the ABI promises drivers, who are measured too.
  alignas(64) uint64_t block[32] = {};
  const uint64_t blockSize;

  nereid_launch_t launch() const {
    nereid_launch_t launch = {};
    launch.struct_size = sizeof launch;
    launch.grid[0] = 8;
    launch.grid[1] = launch.grid[2] = 1;
    launch.arguments = block;
    launch.arguments_size = blockSize;
    return launch;
  }

private:
  nereid_runtime_t *runtime = nullptr;
};
} // namespace

static void launchThroughHost(benchmark::State &state) {
  Kernel kernel(state.range(0));
  nereid_function_t *function = nullptr;
  check(nereid_function_load(kernel.backend, 0, kernel.artifact, &function));
  kernel.allocate();
  for (auto _ : state) {
    nereid_launch_t launch = kernel.launch();
    check(nereid_function_launch(function, &launch));
  }
  check(nereid_backend_synchronize(kernel.backend, 0, 0));
  nereid_function_destroy(function);
}
BENCHMARK(launchThroughHost)->Arg(5)->Arg(20);

static void launchSlot(benchmark::State &state) {
  Kernel kernel(state.range(0));
  nereid_artifact_info_t info = {};
  info.struct_size = sizeof info;
  check(nereid_artifact_info(kernel.artifact, &info));

  PluginFile plugin(pluginPath);
  const nereid_driver_t &driver = plugin.driver();
  TestCall call;
  nereid_module_t *module = nullptr;
  nereid_kernel_t *loaded = nullptr;
  nereid_image_t image = {};
  image.struct_size = sizeof image;
  image.bytes = info.output;
  if (driver.load_image(plugin.state, 0, &image, &module, &call) != NEREID_OK ||
      driver.get_kernel(plugin.state, module, borrow("kernel"), &loaded,
                        nullptr, &call) != NEREID_OK) {
    state.SkipWithError(call.text().c_str());
    return;
  }
  for (auto _ : state) {
    nereid_launch_t launch = kernel.launch();
    check(driver.launch(loaded, &launch, &call));
  }
  check(driver.synchronize(plugin.state, 0, 0, &call));
  (void)driver.unload_module(plugin.state, module, &call);
}
BENCHMARK(launchSlot)->Arg(5)->Arg(20);

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: launch_bench extension.so\n");
    return 2;
  }
  pluginPath = argv[1];
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
