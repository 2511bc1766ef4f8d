// operator_bench.cpp - a repeated call of an operator, and the launch that it
// comes down to: the difference is what calling costs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
//   operator_bench extension.so [--benchmark_...]

#include "nereid/host.h"
#include "nereid/ops.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;

static const char *pluginPath;

static nereid_string_t borrow(std::string_view text) {
  return {text.data(), text.size()};
}

static void check(nereid_status_t status) {
  if (status == NEREID_OK)
    return;
  nereid_string_t reasons = nereid_error();
  std::fprintf(stderr, "%.*s\n", static_cast<int>(reasons.size), reasons.data);
  std::exit(1);
}

static constexpr const char *operatorFile = R"(operator: add
schema:
  inputs:
    x: {dtype: [f32], rank: [0, 8]}
    y: {dtype: [f32], rank: [0, 8]}
  attributes:
    alpha: {type: float, default: 1.0}
  outputs:
    out: {dtype: x.dtype, shape: x.shape}
variants:
  - name: each
    kernel: add.py:add
    arguments: {x: x, y: y, out: out, n: out.numel, alpha: alpha}
    grid: [out.numel]
)";
static constexpr const char *pythonFile =
    "import triton\n@triton.jit\ndef add(x, y, out, n, alpha):\n    pass\n";
static constexpr const char *ttir =
    "module { tt.func public @add(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %out: "
    "!tt.ptr<f32>, %n: i32, %alpha: f32) { tt.return } }";

static nereid_status_t makeKernel(void *, nereid_string_t,
                                  const nereid_writer_t *answer) {
  std::string text = std::string(R"({"arguments": [["x", 0], ["y", 0], )") +
                     R"(["out", 0], ["n", 0], ["alpha", 0]], "ttir": ")" +
                     ttir + "\"}";
  return answer->write(answer, text.data(), text.size());
}

namespace {
/// The extension plugin, whose launches do nothing, with a pack of one
/// operator.
class Setup {
public:
  Setup() {
    std::string name = fs::temp_directory_path() / "nereid-bench-XXXXXX";
    folder = mkdtemp(name.data());
    fs::create_directories(folder + "/ops");
    std::ofstream(folder + "/vendor.yaml")
        << "vendor_name: bench\ndevice_name: any\ntargets: ['*']\n";
    std::ofstream(folder + "/ops/add.yaml") << operatorFile;
    std::ofstream(folder + "/ops/add.py") << pythonFile;
    nereid_runtime_options_t options = {};
    options.struct_size = sizeof options;
    options.flags = NEREID_RUNTIME_NO_DISCOVERY | NEREID_RUNTIME_NO_CACHE |
                    NEREID_RUNTIME_IGNORE_ENVIRONMENT;
    check(nereid_runtime_create(&options, &runtime));
    check(nereid_runtime_load(runtime, borrow(pluginPath), &backend));
    nereid_ops_options_t search = {};
    search.struct_size = sizeof search;
    search.flags = NEREID_OPS_IGNORE_ENVIRONMENT | NEREID_OPS_NO_INSTALLED |
                   NEREID_OPS_ALLOW_WRITABLE;
    search.pack_dirs = borrow(folder);
    check(nereid_ops_create(&search, &ops));
    nereid_kernel_source_t source = {};
    source.struct_size = sizeof source;
    source.make = makeKernel;
    nereid_ops_load_t load = {};
    load.struct_size = sizeof load;
    load.runtime = runtime;
    load.backend = backend;
    load.kernels = &source;
    check(nereid_ops_load(ops, &load, &device));
    check(nereid_ops_operator(device, borrow("add"), &op));
  }
  ~Setup() {
    nereid_ops_device_destroy(device);
    nereid_ops_destroy(ops);
    nereid_runtime_destroy(runtime);
    fs::remove_all(folder);
  }
  Setup(const Setup &) = delete;
  Setup &operator=(const Setup &) = delete;

  nereid_runtime_t *runtime = nullptr;
  nereid_backend_t *backend = nullptr;
  nereid_ops_t *ops = nullptr;
  nereid_ops_device_t *device = nullptr;
  nereid_operator_t *op = nullptr;

private:
  std::string folder;
};
} // namespace

static void callOperator(benchmark::State &state) {
  Setup setup;
  auto rank = static_cast<int32_t>(state.range(0));
  std::vector<int64_t> shape(rank, 2), strides(rank);
  int64_t step = 1;
  for (int32_t i = rank; i-- > 0; step *= 2)
    strides[i] = step;
  nereid_allocation_t request = {sizeof request, 0, 4096, 0};
  nereid_address_t address = 0;
  check(nereid_backend_allocate(setup.backend, 0, &request, &address));
  nereid_tensor_t tensor = {};
  tensor.data = reinterpret_cast<void *>(address);
  tensor.device_type = 12;
  tensor.ndim = rank;
  tensor.type_code = 2;
  tensor.type_bits = 32;
  tensor.type_lanes = 1;
  tensor.shape = shape.data();
  tensor.strides = strides.data();
  const nereid_tensor_t *pointer = &tensor;
  auto argument = [&](const char *name) {
    nereid_tensor_argument_t made = {};
    made.struct_size = sizeof made;
    made.count = 1;
    made.name = borrow(name);
    made.tensors = &pointer;
    return made;
  };
  nereid_tensor_argument_t inputs[] = {argument("x"), argument("y")};
  nereid_tensor_argument_t outputs[] = {argument("out")};
  nereid_value_t alpha = {};
  alpha.name = borrow("alpha");
  alpha.type = NEREID_TYPE_F64;
  nereid_operator_call_t call = {};
  call.struct_size = sizeof call;
  call.inputs = inputs;
  call.input_count = 2;
  call.outputs = outputs;
  call.output_count = 1;
  call.attributes = &alpha;
  call.attribute_count = 1;
  for (auto _ : state) {
    alpha.f64 += 1;
    check(nereid_operator_call(setup.op, &call));
  }
  check(nereid_backend_synchronize(setup.backend, 0, 0));
}
BENCHMARK(callOperator)->Arg(2)->Arg(4)->Arg(8);

static void launchFunction(benchmark::State &state) {
  Setup setup;
  nereid_compile_request_t request = {};
  request.struct_size = sizeof request;
  request.source = {ttir, std::string_view(ttir).size()};
  nereid_artifact_t *artifact = nullptr;
  check(nereid_compile(setup.backend, &request, &artifact));
  nereid_function_t *function = nullptr;
  check(nereid_function_load(setup.backend, 0, artifact, &function));
  nereid_allocation_t memory = {sizeof memory, 0, 4096, 0};
  nereid_address_t address = 0;
  check(nereid_backend_allocate(setup.backend, 0, &memory, &address));
  nereid_function_info_t info = {};
  info.struct_size = sizeof info;
  check(nereid_function_info(function, &info));
  alignas(64) uint64_t block[16] = {address, address, address};
  for (auto _ : state) {
    nereid_launch_t launch = {};
    launch.struct_size = sizeof launch;
    launch.grid[0] = 4;
    launch.grid[1] = launch.grid[2] = 1;
    launch.arguments = block;
    launch.arguments_size = info.arguments_size;
    check(nereid_function_launch(function, &launch));
  }
  check(nereid_backend_synchronize(setup.backend, 0, 0));
  nereid_function_destroy(function);
  nereid_artifact_destroy(artifact);
}
BENCHMARK(launchFunction);

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: operator_bench extension.so\n");
    return 2;
  }
  pluginPath = argv[1];
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
