// KernelLaunch.cpp - from the command line to a kernel that can be launched.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "KernelLaunch.h"

#include "Text.h"

#include <charconv>

namespace nereid::tool {

const char *const argumentNotes =
    "ARG is TYPE=NUMBER, TYPE[N,...]=INIT or @FILE.npy; INIT is zeros, ones,\n"
    "range, full:NUMBER, random[:SEED[:LOW:HIGH]] or @FILE.npy; TYPE is f64 "
    "f32\nf16 bf16 fp8e4m3 fp8e5m2 i64 i32 i16 i8 i1; TYPE[0] is a null "
    "pointer.\nA manifest, KERNEL.json, says the grid, the ARGs and what to "
    "expect.\n";

std::vector<OptionSpec> launchOptions(LaunchOptions &options) {
  std::vector<OptionSpec> list = compileOptions(options);
  addOptions(list, {{"ARG", &options.arguments},
                    {"--grid", &options.grid, "X[,Y[,Z]]",
                     "programs along each axis"}});
  return list;
}

Expected<Manifest> LaunchOptions::readManifest() {
  if (!Manifest::isNamedBy(kernel))
    return Manifest{};
  Expected<Manifest> manifest = Manifest::read(kernel);
  if (!manifest)
    return manifest;
  kernel = manifest->kernel;
  if (grid.empty())
    grid = manifest->grid;
  if (arguments.empty())
    arguments = manifest->arguments;
  else // expectations refer to the manifest's arguments
    manifest->expectations.clear();
  return manifest;
}

// Along one axis: program ids are signed.
static constexpr uint32_t mostPrograms = INT32_MAX;

static Expected<Function::Grid> parseGrid(const std::string &text) {
  uint32_t extents[3] = {1, 1, 1};
  std::string_view rest = text;
  for (uint32_t &extent : extents) {
    auto [end, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), extent);
    if (error != std::errc() || extent > mostPrograms)
      break;
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    if (rest.empty())
      return Function::Grid{extents[0], extents[1], extents[2]};
    if (rest.front() != ',')
      break;
    rest.remove_prefix(1);
  }
  if (text.empty())
    return invalid("--grid is missing, expected X[,Y[,Z]]");
  return invalid("--grid '" + text +
                 "': expected one to three numbers of 0 to 2147483647, as in "
                 "'128' or '64,8'");
}

Expected<LaunchRequest> LaunchRequest::parse(const LaunchOptions &options) {
  LaunchRequest request;
  Expected<Function::Grid> grid = parseGrid(options.grid);
  if (!grid)
    return grid.error();
  request.grid = *grid;
  std::vector<ArgumentSpec> specs;
  for (const std::string &text : options.arguments) {
    Expected<ArgumentSpec> spec = ArgumentSpec::parse(text);
    if (!spec)
      return spec.error();
    specs.push_back(std::move(*spec));
  }
  for (const ArgumentSpec &spec : specs) {
    Expected<ArgumentValue> value = spec.make();
    if (!value)
      return value.error();
    request.values.push_back(std::move(*value));
  }
  return request;
}

static std::string nameOf(const Function &function) {
  auto info = detail::sized<nereid_function_info_t>();
  (void)nereid_function_info(function.get(), &info);
  return std::string(detail::view(info.name));
}

ReadyKernel::ReadyKernel(CompiledKernel kernel, Function function)
    : kernel(std::move(kernel)), loaded(std::move(function)),
      kernelName(nameOf(loaded)) {}

Expected<std::unique_ptr<ReadyKernel>>
ReadyKernel::prepare(Session &session, const LaunchOptions &options,
                     const LaunchRequest &request) {
  Expected<CompiledKernel> kernel = compileKernel(session, options, true);
  if (!kernel)
    return kernel.error();
  const TargetChoice &choice = kernel->choice;
  Expected<Function> function =
      choice.driver->load(kernel->artifact, choice.device);
  if (!function)
    return function.error();
  std::unique_ptr<ReadyKernel> ready(
      new ReadyKernel(std::move(*kernel), std::move(*function)));
  Expected<void> checked =
      checkArguments(ready->loaded, ready->kernelName, request.values);
  if (!checked)
    return checked.error();
  Expected<KernelCall> call =
      KernelCall::prepare(*ready->target().driver, ready->target().device,
                          ready->loaded, request.values);
  if (!call)
    return call.error();
  ready->prepared.emplace(std::move(*call));
  ready->faultMessage = session.output.prepare(failure(
      NEREID_DEVICE_FAULT,
      "kernel '" + ready->kernelName + "' on " + ready->target().name() +
          " accessed memory that it may not\nnote: check the shapes, "
          "the null pointers and the kernel's masks"));
  return ready;
}

std::string ReadyKernel::heading(Function::Grid grid) const {
  return "kernel   " + kernelName + " on " + kernel.choice.name() + ", grid " +
         std::to_string(grid.x) + " x " + std::to_string(grid.y) + " x " +
         std::to_string(grid.z) + "\nsource   " + compileSummary(kernel) + '\n';
}

/// What the driver knows of a thread, or of a program.
static Json resourcesOf(const Function &function) {
  auto info = detail::sized<nereid_function_info_t>();
  (void)nereid_function_info(function.get(), &info);
  const nereid_kernel_info_t &found = *info.resources;
  auto known = [](int32_t number) {
    return number < 0 ? Json(nullptr) : Json(number);
  };
  return {{"registers", known(found.registers)},
          {"spills", known(found.spills)},
          {"max_threads", known(found.max_threads)},
          {"shared", found.shared < 0 ? Json(nullptr) : Json(found.shared)},
          {"resident_programs", found.resident_programs
                                    ? Json(found.resident_programs)
                                    : Json(nullptr)}};
}

Json ReadyKernel::json(Function::Grid grid) const {
  return {{"kernel", kernelName},
          {"target", kernel.choice.name()},
          {"grid", {grid.x, grid.y, grid.z}},
          {"resources", resourcesOf(loaded)},
          {"compile", kernel.facts}};
}

} // namespace nereid::tool
