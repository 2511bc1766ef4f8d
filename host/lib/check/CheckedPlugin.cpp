// CheckedPlugin.cpp - loads the plugin under test.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/Call.h"
#include "check/Check.h"
#include "compile/TtirService.h"

#include <filesystem>

namespace nereid::host {

CheckedPlugin::Loaded CheckedPlugin::load(const std::string &file) {
  RegistryOptions options;
  options.loader.allowsWritable = true; // a vendor's own build directory
  options.loader.isProbeIsolated = isIsolated;
  // A device that is slow to start is not a fault.
  options.loader.probeTimeoutMs = 60000;
  // This process is the helper.
  options.loader.probeHelper =
      std::filesystem::read_symlink("/proc/self/exe").string();
  options.loader.progress = [this](LoadStep step) {
    progress(static_cast<char>('0' + static_cast<int>(step)));
  };
  options.usesDefaultDirs = false;
  options.loader.extensions = hostExtensions();
  Loaded loaded;
  loaded.registry = std::make_unique<PluginRegistry>(std::move(options), &log);
  Result<std::shared_ptr<Plugin>> result = loaded.registry->load(file);
  progress('-');
  if (!result)
    throw CheckFailed{result.failure().text};
  loaded.plugin = std::move(*result);
  return loaded;
}

Plugin &CheckedPlugin::plugin() {
  if (!subject.plugin)
    subject = load(path);
  return *subject.plugin;
}

Plugin &CheckedPlugin::compiler() {
  if (plugin().hasCompiler)
    return *subject.plugin;
  if (request.compilerPath.empty())
    throw CheckSkipped{"the plugin has no compiler; name one that compiles for "
                       "it: --plugin COMPILER.so"};
  if (!other.plugin)
    other = load(request.compilerPath);
  if (!other.plugin->hasCompiler)
    throw CheckSkipped{"plugin '" + other.plugin->info.id +
                       "' has no compiler"};
  return *other.plugin;
}

Plugin &CheckedPlugin::ownCompiler() {
  if (!plugin().hasCompiler)
    throw CheckSkipped{"the plugin has no compiler"};
  return *subject.plugin;
}

Plugin &CheckedPlugin::activeDriver() {
  if (!plugin().hasDriver)
    throw CheckSkipped{"the plugin has no driver"};
  if (subject.plugin->probe().result.score <= 0)
    throw CheckSkipped{"the driver is not active: " +
                       subject.plugin->probe().reason};
  return *subject.plugin;
}

Target CheckedPlugin::target(uint32_t device) {
  Plugin &serving = compiler();
  Target target;
  target.backend = plugin().info.deviceType;
  if (!request.target.isEmpty())
    target = request.target;
  if (plugin().hasDriver && plugin().probe().result.score > 0) {
    Result<Target> found = Target::ofDevice(plugin(), device, &log);
    if (!found)
      throw CheckFailed{found.failure().text};
    target = std::move(*found);
  }
  int32_t score = 0;
  nereid_target_t raw = target.get();
  Call call(&log, serving.info);
  nereid_status_t status = call.run([&] {
    return serving.compiler.score_target(serving.state, &raw, &score,
                                         call.get());
  });
  if (status != NEREID_OK)
    throw CheckFailed{call.failure(status, "score_target").text};
  if (score <= 0)
    throw CheckSkipped{"compiler '" + serving.info.id + "' does not serve " +
                       target.description() +
                       "; name one that it serves: --target TARGET"};
  return target;
}

void CheckedPlugin::unload() {
  progress('0' + static_cast<char>(LoadStep::Shutdown));
  subject = {};
  progress('-');
}

static size_t countEntries(const char *directory) {
  size_t count = 0;
  for ([[maybe_unused]] auto &entry :
       std::filesystem::directory_iterator(directory))
    ++count;
  return count;
}

ProcessCounts ProcessCounts::now() {
  return {countEntries("/proc/self/fd"), countEntries("/proc/self/task")};
}

} // namespace nereid::host
