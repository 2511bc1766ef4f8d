// Kernel.cpp - the sources of the sample kernels, and how they are run.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "check/Kernel.h"

#include "compile/Compile.h"
#include "support/Error.h"

#include <cstring>

namespace nereid::host {

const std::string_view sumSample = R"(module {
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

const std::string_view maskedSumSample = R"(module {
  tt.func public @nereid_check_masked(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
    %c64 = arith.constant 64 : i32
    %pid = tt.get_program_id x : i32
    %start = arith.muli %pid, %c64 : i32
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %starts = tt.splat %start : i32 -> tensor<64xi32>
    %at = arith.addi %starts, %range : tensor<64xi32>
    %ns = tt.splat %n : i32 -> tensor<64xi32>
    %mask = arith.cmpi slt, %at, %ns : tensor<64xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %xv = tt.load %xp, %mask : tensor<64x!tt.ptr<f32>>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %yp = tt.addptr %ys, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %yv = tt.load %yp, %mask : tensor<64x!tt.ptr<f32>>
    %sum = arith.addf %xv, %yv : tensor<64xf32>
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %op = tt.addptr %os, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %op, %sum, %mask : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
)";

const std::string_view assertionSample = R"(module {
  tt.func public @nereid_check_assertion(%out: !tt.ptr<i32>, %n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    tt.store %out, %one : !tt.ptr<i32>
    %holds = arith.cmpi slt, %n, %zero : i32
    %all = tt.splat %holds : i1 -> tensor<1xi1>
    tt.assert %all, "a failure on purpose" : tensor<1xi1>
    tt.store %out, %two : !tt.ptr<i32>
    tt.return
  }
}
)";

Result<std::unique_ptr<Artifact>>
tryCompile(CheckedPlugin &subject, std::string_view source,
           std::span<const nereid_value_t> values, uint32_t device) {
  // Not owned: the plugin outlives the check.
  Plugin &compiler = subject.compiler();
  CompilerChoice choice = {
      std::shared_ptr<Plugin>(std::shared_ptr<Plugin>(), &compiler),
      subject.target(device)};
  nereid_target_t raw = choice.target.get();
  Result<ParsedOptions> options =
      ParsedOptions::parse(compiler, raw, {}, &subject.log);
  if (!options)
    throw CheckFailed{options.failure().text};
  Result<std::vector<Stage>> stages =
      readStages(compiler, *options, &subject.log);
  if (!stages)
    throw CheckFailed{stages.failure().text};
  if (stages->front().inputKind != "ttir")
    throw CheckSkipped{"the compiler accepts '" + stages->front().inputKind +
                       "', not 'ttir'"};
  nereid_compile_request_t request = {};
  request.struct_size = sizeof request;
  request.source = {source.data(), source.size()};
  request.source_name = borrow("sample.ttir");
  request.target = &raw;
  request.options = values.data();
  request.option_count = values.size();
  Settings settings;
  CompileHistory history;
  CompileContext context = {settings, &subject.log, nullptr,
                            nullptr,  history,      nullptr};
  return compile(context, choice, request);
}

std::unique_ptr<Artifact> compileSample(CheckedPlugin &subject,
                                        std::string_view source,
                                        std::span<const nereid_value_t> values,
                                        uint32_t device) {
  Result<std::unique_ptr<Artifact>> artifact =
      tryCompile(subject, source, values, device);
  if (artifact)
    return std::move(*artifact);
  if (artifact.failure().status == NEREID_UNIMPLEMENTED)
    throw CheckSkipped{artifact.failure().text};
  throw CheckFailed{artifact.failure().text};
}

Kernel::Kernel(const Device &device, const Artifact &artifact,
               size_t argumentCount) {
  if (!artifact.isImage)
    throw CheckSkipped{"the pipeline ends before an image"};
  // Not owned: the plugin outlives the check.
  std::shared_ptr<Plugin> plugin(std::shared_ptr<Plugin>(),
                                 &device.subject.plugin());
  Result<std::unique_ptr<Function>> loaded = Function::load(
      plugin, device.index, artifact, &device.subject.log, nullptr);
  if (!loaded)
    throw CheckFailed{loaded.failure().text};
  function = std::move(*loaded);
  size_t described = function->layout().arguments.size();
  expect(described >= argumentCount,
         "the metadata describes " + std::to_string(described) +
             " arguments of a kernel with " + std::to_string(argumentCount));
  block.resize((function->layout().size + sizeof(Line) - 1) / sizeof(Line));
}

void Kernel::setBytes(size_t index, const void *value, size_t size) {
  const Argument &argument = function->layout().arguments[index];
  expect(argument.size == size, "argument '" + argument.name + "' takes " +
                                    std::to_string(argument.size) +
                                    " bytes, expected " + std::to_string(size));
  std::memcpy(reinterpret_cast<char *>(block.data()) + argument.offset, value,
              size);
}

nereid_status_t Kernel::tryLaunch(std::string &why, uint32_t programs,
                                  nereid_stream_t stream) const {
  nereid_launch_t launch = {};
  launch.struct_size = sizeof launch;
  launch.grid[0] = programs;
  launch.grid[1] = launch.grid[2] = 1;
  launch.stream = stream;
  launch.arguments = block.data();
  launch.arguments_size = function->layout().size;
  nereid_status_t status = function->launch(launch);
  if (status != NEREID_OK)
    why = lastError();
  return status;
}

void Kernel::launch(uint32_t programs, nereid_stream_t stream) const {
  std::string why;
  if (tryLaunch(why, programs, stream) != NEREID_OK)
    throw CheckFailed{why};
}

} // namespace nereid::host
