// cuda_launch.cpp - a launch through the cuda plugin, and the same call of the
// fake driver library, which does nothing: the difference is the plugin's cost.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   NEREID_CUDA_LIBRARY=$PWD/build/tests/fixtures/cuda/libcuda.so.1 cuda_launch
//
// Kernels are as Triton compiles them, with two parameters for scratch that
// they do not use. "Described" ones take a tensor map of rank 2 as well.

#include "driver.h"
#include "fake_cuda.h"
#include "state.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>

using namespace nereid;

namespace {
/// A loaded kernel and a launch of it.
struct Kernel {
  explicit Kernel(int64_t arguments, bool isDescribed = false);

  nereid_state_t state{cuda::Settings::read()};
  nereid_kernel_t *kernel = nullptr;
  nereid_launch_t launch = {};
  alignas(64) uint64_t block[128] = {};
};
} // namespace

static nereid_string_t text(std::string_view view) {
  return {view.data(), view.size()};
}

static void must(nereid_status_t status) {
  if (status == NEREID_OK)
    return;
  std::fprintf(stderr, "status %d; is NEREID_CUDA_LIBRARY the fake?\n", status);
  std::exit(1);
}

Kernel::Kernel(int64_t arguments, bool isDescribed) {
  test::fakeCudaSetBare(false);
  std::vector<nereid_string_t> types;
  std::vector<int64_t> parameters;
  std::string list;
  if (isDescribed) {
    for (const char *type : {"*f16", "i64", "i64", "i64", "i64", "i1", "i1"})
      types.push_back(text(type));
    parameters.push_back(-1);
    list += ".param .align 64 .b8 map[128], ";
    block[0] = 0x10000;
    block[1] = block[2] = block[3] = 256;
    block[4] = 1;
  }
  for (int64_t i = 0; i < arguments; ++i) {
    parameters.push_back(static_cast<int64_t>(types.size()));
    types.push_back(text("i64"));
    list += ".param .u64 p, ";
  }
  std::string ptx = ".version 8.0\n.target sm_90a\n.visible .entry k(" + list +
                    ".param .u64 scratch, .param .u64 profile) { ret; }\n";
  const int64_t map[] = {0, 2, 3, 6, 0, 64, 64};
  std::vector<nereid_value_t> values;
  auto add = [&](const char *name, nereid_type_t type) -> nereid_value_t & {
    nereid_value_t &value = values.emplace_back();
    value.name = text(name);
    value.type = type;
    return value;
  };
  auto addList = [&](const char *name, nereid_type_t type, const void *items,
                     uint64_t size) {
    nereid_value_t &value = add(name, type);
    value.list = items;
    value.list_size = size;
  };
  add("name", NEREID_TYPE_STRING).text = text("k");
  add("num_warps", NEREID_TYPE_I64).i64 = 4;
  add("scratch_parameters", NEREID_TYPE_I64).i64 = 2;
  addList("argument_types", NEREID_TYPE_STRING_LIST, types.data(),
          types.size());
  addList("parameters", NEREID_TYPE_I64_LIST, parameters.data(),
          parameters.size());
  if (isDescribed)
    addList("tensor_maps", NEREID_TYPE_I64_LIST, map, std::size(map));
  nereid_image_t image = {};
  image.struct_size = sizeof image;
  image.bytes = {ptx.data(), ptx.size()};
  image.metadata = values.data();
  image.metadata_count = values.size();
  nereid_module_t *module = nullptr;
  must(cuda::kDriver.load_image(&state, 0, &image, &module, nullptr));
  must(cuda::kDriver.get_kernel(&state, module, text("k"), &kernel, nullptr,
                                nullptr));
  launch.struct_size = sizeof launch;
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
  launch.arguments = block;
  launch.arguments_size = sizeof block;
  test::fakeCudaSetBare(true);
}

static void pluginLaunch(benchmark::State &run, bool isDescribed) {
  Kernel kernel(run.range(0), isDescribed);
  for (auto _ : run)
    must(cuda::kDriver.launch(kernel.kernel, &kernel.launch, nullptr));
}
BENCHMARK_CAPTURE(pluginLaunch, Plain, false)
    ->Name("Launch")
    ->Arg(0)
    ->Arg(4)
    ->Arg(16)
    ->Arg(100);
BENCHMARK_CAPTURE(pluginLaunch, Described, true)
    ->Name("LaunchDescribed")
    ->Arg(4);

/// What the plugin calls.
static void libraryLaunch(benchmark::State &run) {
  Kernel kernel(4);
  cuda::Library library;
  if (!library.open(std::getenv("NEREID_CUDA_LIBRARY")).empty())
    std::exit(1);
  void *parameters[] = {kernel.block, kernel.block, kernel.block, kernel.block};
  cuda::CUlaunchConfig config = {};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  for (auto _ : run)
    benchmark::DoNotOptimize(
        library.cuLaunchKernelEx(&config, nullptr, parameters, nullptr));
}
BENCHMARK(libraryLaunch)->Name("Library");

BENCHMARK_MAIN();
