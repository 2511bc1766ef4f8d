// KernelChecks.cpp - conformance of compiling and launching a small kernel.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/Call.h"
#include "check/Check.h"
#include "compile/Compile.h"
#include "launch/Function.h"
#include "support/Error.h"

#include <malloc.h>

namespace nereid::host {

static constexpr uint32_t elementCount = 64;

// out[i] = x[i] + y[i] for the 64 elements of one program.
static constexpr std::string_view sample = R"(module {
  tt.func public @nereid_check(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %xv = tt.load %xp : tensor<64x!tt.ptr<f32>>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %yp = tt.addptr %ys, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %yv = tt.load %yp : tensor<64x!tt.ptr<f32>>
    %sum = arith.addf %xv, %yv : tensor<64xf32>
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %op = tt.addptr %os, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %op, %sum : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
)";

static std::unique_ptr<Compiled> compileSample(CheckedPlugin &subject) {
  // Not owned: the plugin outlives the check.
  CompilerChoice choice = {
      std::shared_ptr<Plugin>(std::shared_ptr<Plugin>(), &subject.compiler()),
      subject.target()};
  nereid_target_t raw = choice.target.get();
  Result<ParsedOptions> options =
      ParsedOptions::parse(subject.compiler(), raw, {}, &subject.log);
  if (!options)
    throw CheckFailed{options.failure().text};
  Result<std::vector<Stage>> stages =
      readStages(subject.compiler(), *options, &subject.log);
  if (!stages)
    throw CheckFailed{stages.failure().text};
  if (stages->front().inputKind != "ttir")
    throw CheckSkipped{"the compiler takes '" + stages->front().inputKind +
                       "', not 'ttir'"};
  nereid_compile_request_t request = {};
  request.struct_size = sizeof request;
  request.source = {sample.data(), sample.size()};
  request.source_name = borrow("sample.ttir");
  request.target = &raw;
  Settings settings;
  CompileHistory history;
  CompileContext context = {settings, &subject.log, nullptr, nullptr, history};
  Result<std::unique_ptr<Compiled>> compiled =
      compile(context, choice, request);
  if (compiled)
    return std::move(*compiled);
  if (compiled.failure().status == NEREID_UNIMPLEMENTED)
    throw CheckSkipped{compiled.failure().text};
  throw CheckFailed{compiled.failure().text};
}

static void checkCompile(CheckedPlugin &subject) {
  std::unique_ptr<Compiled> first = compileSample(subject);
  expect(!first->output.empty(), "the last stage wrote nothing");
  std::unique_ptr<Compiled> second = compileSample(subject);
  expect(first->output == second->output,
         "the same source and options gave other bytes the second time, so "
         "cached results cannot be compared");
  expect(first->metadata.encode() == second->metadata.encode(),
         "the same source and options gave other metadata the second time");
}

// A kernel is described by the stage that makes the image.
static void checkMetadata(CheckedPlugin &subject) {
  std::unique_ptr<Compiled> compiled = compileSample(subject);
  if (!compiled->isImage)
    throw CheckSkipped{"the pipeline ends before an image"};
  expect(compiled->metadata.string("name").has_value(),
         "the metadata of the image has no 'name'");
  Result<ArgumentLayout> layout = ArgumentLayout::read(compiled->metadata);
  if (!layout)
    throw CheckFailed{layout.failure().text};
  expect(layout->arguments.size() >= 3,
         "the metadata describes " + std::to_string(layout->arguments.size()) +
             " arguments of a kernel with 3");
}

namespace {
/// The sample kernel on device 0, with its three buffers.
class LoadedSample {
public:
  explicit LoadedSample(CheckedPlugin &subject) : subject(subject) {
    subject.activeDriver();
    std::unique_ptr<Compiled> compiled = compileSample(subject);
    if (!compiled->isImage)
      throw CheckSkipped{"the pipeline ends before an image"};
    // Not owned: the plugin outlives the check.
    std::shared_ptr<Plugin> plugin(std::shared_ptr<Plugin>(),
                                   &subject.plugin());
    Result<std::unique_ptr<Function>> loaded =
        Function::load(plugin, 0, *compiled, &subject.log, nullptr);
    if (!loaded)
      throw CheckFailed{loaded.failure().text};
    function = std::move(*loaded);
    block.resize(function->layout().size);
    for (size_t i = 0; i < 3; ++i) {
      buffers[i] = allocate();
      const Argument &argument = function->layout().arguments[i];
      expect(argument.size == sizeof buffers[i],
             "pointer argument '" + argument.name + "' takes " +
                 std::to_string(argument.size) + " bytes, expected 8");
      std::memcpy(block.data() + argument.offset, &buffers[i],
                  sizeof buffers[i]);
    }
  }

  void launch(uint32_t programs = 1) {
    nereid_launch_t launch = {};
    launch.struct_size = sizeof launch;
    launch.grid[0] = programs;
    launch.grid[1] = launch.grid[2] = 1;
    launch.arguments = block.data();
    launch.arguments_size = block.size();
    if (function->launch(launch) != NEREID_OK)
      throw CheckFailed{std::string(lastError())};
  }
  void synchronize() {
    Plugin &plugin = subject.plugin();
    Call call(&subject.log, plugin.info);
    nereid_status_t status = call.run([&] {
      return plugin.driver.synchronize(plugin.state, 0, 0, call.get());
    });
    if (status != NEREID_OK)
      throw CheckFailed{call.failure(status, "synchronize").text};
  }
  void copy(nereid_copy_direction_t direction, size_t buffer, float *values) {
    Plugin &plugin = subject.plugin();
    nereid_address_t host = reinterpret_cast<uintptr_t>(values);
    bool isUpload = direction == NEREID_COPY_HOST_TO_DEVICE;
    nereid_copy_t request = {sizeof request,
                             direction,
                             0,
                             isUpload ? buffers[buffer] : host,
                             isUpload ? host : buffers[buffer],
                             elementCount * sizeof *values};
    Call call(&subject.log, plugin.info);
    nereid_status_t status = call.run([&] {
      return plugin.driver.copy(plugin.state, 0, &request, call.get());
    });
    if (status != NEREID_OK)
      throw CheckFailed{call.failure(status, "copy").text};
    synchronize();
  }

private:
  nereid_address_t allocate() {
    Plugin &plugin = subject.plugin();
    nereid_address_t address = 0;
    nereid_allocation_t allocation = {sizeof allocation, 0,
                                      elementCount * sizeof(float), 64};
    Call call(&subject.log, plugin.info);
    nereid_status_t status = call.run([&] {
      return plugin.driver.allocate(plugin.state, 0, &allocation, &address,
                                    call.get());
    });
    if (status != NEREID_OK)
      throw CheckFailed{call.failure(status, "allocate").text};
    return address;
  }

  CheckedPlugin &subject;
  std::unique_ptr<Function> function;
  nereid_address_t buffers[3] = {};
  std::vector<char> block;
};
} // namespace

static void checkLaunch(CheckedPlugin &subject) {
  LoadedSample kernel(subject);
  float x[elementCount], y[elementCount], out[elementCount];
  for (uint32_t i = 0; i < elementCount; ++i) {
    x[i] = static_cast<float>(i);
    y[i] = 0.25f;
    out[i] = -1;
  }
  kernel.copy(NEREID_COPY_HOST_TO_DEVICE, 0, x);
  kernel.copy(NEREID_COPY_HOST_TO_DEVICE, 1, y);
  kernel.copy(NEREID_COPY_HOST_TO_DEVICE, 2, out);
  kernel.launch();
  kernel.synchronize();
  kernel.copy(NEREID_COPY_DEVICE_TO_HOST, 2, out);
  uint32_t untouched = 0;
  for (float value : out)
    untouched += value == -1;
  if (untouched == elementCount)
    throw CheckSkipped{"the launch succeeds but computes nothing"};
  for (uint32_t i = 0; i < elementCount; ++i)
    expect(out[i] == x[i] + y[i], "element " + std::to_string(i) + " is " +
                                      std::to_string(out[i]) + ", expected " +
                                      std::to_string(x[i] + y[i]));
}

static void checkLaunchMemory(CheckedPlugin &subject) {
  LoadedSample kernel(subject);
  for (int i = 0; i < 100; ++i)
    kernel.launch(); // what is made once, such as threads, is made now
  kernel.synchronize();
  size_t before = mallinfo2().uordblks;
  for (int i = 0; i < 1000; ++i)
    kernel.launch();
  kernel.synchronize();
  size_t after = mallinfo2().uordblks;
  expect(after <= before + 1000, "1000 launches keep " +
                                     std::to_string(after - before) +
                                     " bytes of memory");
}

std::span<const Check> kernelChecks() {
  static constexpr Check checks[] = {
      {"compile-repeatable", checkCompile},
      {"image-metadata", checkMetadata},
      {"launch", checkLaunch},
      {"launch-keeps-no-memory", checkLaunchMemory},
  };
  return checks;
}

} // namespace nereid::host
