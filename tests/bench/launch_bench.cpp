// launch_bench.cpp - what libnereid adds to a launch above the plugin's slot.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0
//
// The plugin is a table of this process whose launch slot does nothing, so
// that the difference between the two kinds of benchmark is the host's part.

#include "nereid/host.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

static nereid_string_t text(const char *data) {
  return {data, std::char_traits<char>::length(data)};
}

static void check(nereid_status_t status) {
  if (status == NEREID_OK)
    return;
  nereid_string_t reasons = nereid_error();
  std::fprintf(stderr, "%.*s\n", static_cast<int>(reasons.size), reasons.data);
  std::exit(1);
}

// ---- A compiler whose image is its source, and a driver that does nothing.

static nereid_status_t scoreTarget(nereid_state_t *, const nereid_target_t *,
                                   int32_t *out, const nereid_call_t *) {
  *out = 100;
  return NEREID_OK;
}

static nereid_status_t parseOptions(nereid_state_t *, const nereid_target_t *,
                                    const nereid_value_t *, uint64_t,
                                    const nereid_writer_t *,
                                    nereid_options_t **out,
                                    const nereid_call_t *) {
  *out = nullptr;
  return NEREID_OK;
}

static nereid_status_t visitStages(nereid_state_t *, const nereid_options_t *,
                                   const nereid_stage_sink_t *sink,
                                   const nereid_call_t *) {
  nereid_stage_t stage = {};
  stage.struct_size = sizeof stage;
  stage.flags = NEREID_STAGE_MAKES_IMAGE;
  stage.name = text("image");
  stage.input_kind = text("ttir");
  stage.output_kind = text("image");
  return sink->add(sink, &stage);
}

// The source says how many arguments the kernel has.
static nereid_status_t
runStage(nereid_state_t *, const nereid_options_t *, nereid_session_t *,
         uint32_t, nereid_bytes_t input, const nereid_writer_t *output,
         const nereid_value_sink_t *metadata, const nereid_call_t *) {
  std::string count(static_cast<const char *>(input.data), input.size);
  std::vector<nereid_string_t> types(std::stoul(count), text("*f32"));
  nereid_value_t name = {}, list = {};
  name.name = text("name");
  name.type = NEREID_TYPE_STRING;
  name.text = text("kernel");
  list.name = text("argument_types");
  list.type = NEREID_TYPE_STRING_LIST;
  list.list = types.data();
  list.list_size = types.size();
  metadata->add(metadata, &name);
  metadata->add(metadata, &list);
  return output->write(output, input.data, input.size);
}

static nereid_status_t probe(nereid_state_t *, nereid_probe_t *out,
                             const nereid_writer_t *, const nereid_call_t *) {
  out->score = 100;
  out->device_count = 1;
  return NEREID_OK;
}

static nereid_status_t getTarget(nereid_state_t *, uint32_t,
                                 nereid_target_t *out, const nereid_call_t *) {
  out->backend = text("bench");
  return NEREID_OK;
}

static nereid_status_t loadImage(nereid_state_t *, uint32_t, nereid_bytes_t,
                                 nereid_string_t, const nereid_value_t *,
                                 uint64_t, nereid_module_t **,
                                 const nereid_call_t *) {
  return NEREID_OK;
}

static nereid_status_t getKernel(nereid_state_t *, nereid_module_t *,
                                 nereid_string_t, nereid_kernel_t **,
                                 nereid_kernel_info_t *,
                                 const nereid_call_t *) {
  return NEREID_OK;
}

// Reads what every slot reads, or the compiler would leave the block out.
static nereid_status_t launch(nereid_kernel_t *, const nereid_launch_t *launch,
                              const nereid_call_t *) {
  benchmark::DoNotOptimize(launch->grid[0]);
  benchmark::DoNotOptimize(launch->arguments);
  return NEREID_OK;
}

static nereid_compiler_t makeCompiler() {
  nereid_compiler_t compiler = {};
  compiler.struct_size = sizeof compiler;
  compiler.score_target = scoreTarget;
  compiler.parse_options = parseOptions;
  compiler.destroy_options = [](nereid_state_t *, nereid_options_t *) {};
  compiler.visit_stages = visitStages;
  compiler.run_stage = runStage;
  return compiler;
}

static nereid_driver_t makeDriver() {
  nereid_driver_t driver = {};
  driver.struct_size = sizeof driver;
  driver.probe = probe;
  driver.get_target = getTarget;
  driver.synchronize = [](nereid_state_t *, uint32_t, nereid_stream_t,
                          const nereid_call_t *) -> nereid_status_t {
    return NEREID_OK;
  };
  driver.visit_properties =
      [](nereid_state_t *, uint32_t, const nereid_value_sink_t *,
         const nereid_call_t *) -> nereid_status_t { return NEREID_OK; };
  driver.allocate = [](nereid_state_t *, uint32_t, uint64_t, nereid_address_t *,
                       const nereid_call_t *) -> nereid_status_t {
    return NEREID_UNIMPLEMENTED;
  };
  driver.free = [](nereid_state_t *, uint32_t, nereid_address_t) {};
  driver.copy = [](nereid_state_t *, uint32_t, nereid_stream_t, nereid_copy_t,
                   nereid_address_t, nereid_address_t, uint64_t,
                   const nereid_call_t *) -> nereid_status_t {
    return NEREID_UNIMPLEMENTED;
  };
  driver.load_image = loadImage;
  driver.unload_module = [](nereid_state_t *, nereid_module_t *) {};
  driver.get_kernel = getKernel;
  driver.launch = launch;
  return driver;
}

// ---- The benchmarks.

namespace {
/// A kernel with so many arguments, ready to launch.
class Kernel {
public:
  explicit Kernel(int64_t arguments) : block(arguments) {
    compiler = makeCompiler();
    driver = makeDriver();
    plugin.struct_size = sizeof plugin;
    plugin.id = text("bench");
    plugin.device_type = text("bench");
    plugin.version = text("1");
    plugin.compiler = &compiler;
    plugin.driver = &driver;
    nereid_runtime_options_t options = {};
    options.struct_size = sizeof options;
    options.flags = NEREID_RUNTIME_NO_DISCOVERY | NEREID_RUNTIME_NO_CACHE |
                    NEREID_RUNTIME_IGNORE_ENVIRONMENT;
    nereid_backend_t *backend;
    check(nereid_runtime_create(&options, &runtime));
    check(nereid_runtime_register(runtime, &plugin, &backend));
    std::string source = std::to_string(arguments);
    nereid_compile_request_t request = {};
    request.struct_size = sizeof request;
    request.source = {source.data(), source.size()};
    nereid_compiled_t *compiled;
    check(nereid_compile(backend, &request, &compiled));
    check(nereid_function_load(backend, 0, compiled, &function));
    nereid_compiled_destroy(compiled);
  }
  ~Kernel() {
    nereid_function_destroy(function);
    nereid_runtime_destroy(runtime);
  }
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  nereid_function_t *function = nullptr;
  std::vector<uint64_t> block;

private:
  nereid_compiler_t compiler = {};
  nereid_driver_t driver = {};
  nereid_plugin_t plugin = {};
  nereid_runtime_t *runtime = nullptr;
};
} // namespace

// A launch through libnereid.
static void launchThroughHost(benchmark::State &state) {
  Kernel kernel(state.range(0));
  for (auto _ : state)
    check(nereid_function_launch(kernel.function, 8, 1, 1, 0,
                                 kernel.block.data(),
                                 kernel.block.size() * sizeof(uint64_t)));
}
BENCHMARK(launchThroughHost)->Arg(5)->Arg(20);

// The slot alone, called as directly as can be.
static void launchSlot(benchmark::State &state) {
  auto *volatile slot = launch;
  std::vector<uint64_t> block(state.range(0));
  for (auto _ : state) {
    nereid_launch_t launch = {sizeof(nereid_launch_t),
                              {8, 1, 1},
                              0,
                              block.data(),
                              block.size() * sizeof(uint64_t)};
    check(slot(nullptr, &launch, nullptr));
  }
}
BENCHMARK(launchSlot)->Arg(5)->Arg(20);

BENCHMARK_MAIN();
