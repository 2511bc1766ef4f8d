// Device.cpp - reads what a device is, and loads kernels on it.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "call/Device.h"

#include "call/LastFailure.h"
#include "select/Describe.h"
#include "support/Json.h"

namespace nereid::ops {

using host::Json;

namespace {
struct DestroyArtifact {
  void operator()(nereid_artifact_t *artifact) const {
    nereid_artifact_destroy(artifact);
  }
};
} // namespace

/// The text of \p buffer, which is destroyed.
static std::string textOf(nereid_buffer_t *buffer) {
  nereid_bytes_t bytes = nereid_buffer_bytes(buffer);
  std::string text(static_cast<const char *>(bytes.data), bytes.size);
  nereid_buffer_destroy(buffer);
  return text;
}

Device::~Device() {
  if (pool)
    (void)nereid_backend_synchronize_device(backend, index);
}

Outcome Device::readFacts() {
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  if (nereid_status_t status = nereid_backend_target(backend, index, &target))
    return lastFailure(status);
  nereid_buffer_t *buffer = nullptr;
  if (nereid_status_t status =
          nereid_backend_properties(backend, index, &buffer))
    return lastFailure(status);
  std::string properties = textOf(buffer);

  nereid_backend_t *compiler = nullptr;
  if (nereid_status_t status =
          nereid_backend_compiler(backend, index, &compiler))
    return lastFailure(status);
  nereid_backend_info_t info = {};
  info.struct_size = sizeof info;
  if (nereid_status_t status = nereid_backend_info(compiler, &info))
    return lastFailure(status);
  Result<TargetFacts> found = targetFacts(
      view(target.backend), view(target.arch),
      std::string(view(info.id)) + '-' + std::string(view(info.version)),
      properties);
  if (!found)
    return found.failure();
  facts = std::move(*found);
  if (nereid_status_t status =
          nereid_backend_options(compiler, &target, &buffer))
    return lastFailure(status);
  for (const Json &option : Json::parse(textOf(buffer), nullptr, false))
    optionNames.insert(option.value("name", ""));
  return {};
}

Result<std::unique_ptr<Device>> Device::open(nereid_runtime_t *runtime,
                                             nereid_backend_t *backend,
                                             uint32_t number,
                                             const std::string &python,
                                             KernelCallback callback) {
  std::unique_ptr<Device> device(new Device(backend, number));
  if (Outcome read = device->readFacts(); !read)
    return read.failure();
  KernelMakerOptions options;
  options.python = python;
  options.callback = std::move(callback);
  nereid_cache_stat_t stat = {};
  stat.struct_size = sizeof stat;
  if (nereid_cache_stat(runtime, &stat) == NEREID_OK && stat.enabled)
    options.cacheDir = view(stat.directory);
  nereid_target_t target = {};
  target.struct_size = sizeof target;
  nereid_backend_t *compiler = nullptr;
  nereid_buffer_t *frontend = nullptr;
  nereid_status_t status = nereid_backend_target(backend, number, &target);
  if (!status)
    status = nereid_backend_compiler(backend, number, &compiler);
  if (!status)
    status = nereid_backend_frontend(compiler, &target, &frontend);
  if (status)
    return lastFailure(status);
  options.facts = textOf(frontend);
  device->kernels = std::make_unique<KernelMaker>(std::move(options));
  device->pool = std::make_unique<TemporaryPool>(backend, number);
  return device;
}

// An option's value as the compiler reads it.
static std::string optionText(const Value &value) {
  if (value.isBool())
    return value.truth() ? "true" : "false";
  return value.isString() ? value.string() : value.repr();
}

static Outcome describe(LoadedKernel &kernel) {
  nereid_function_info_t info = {};
  info.struct_size = sizeof info;
  if (nereid_status_t status = nereid_function_info(kernel.function, &info))
    return lastFailure(status);
  kernel.blockSize = info.arguments_size;
  kernel.scratchSize = info.scratch_size;
  kernel.scratchAlignment = info.scratch_alignment;
  for (uint32_t i = 0; i < info.argument_count; ++i) {
    nereid_argument_t argument = {};
    argument.struct_size = sizeof argument;
    if (nereid_status_t status =
            nereid_function_argument(kernel.function, i, &argument))
      return lastFailure(status);
    kernel.arguments.push_back({argument.offset, argument.size,
                                std::string(view(argument.name)),
                                std::string(view(argument.type))});
  }
  return {};
}

Result<std::shared_ptr<const LoadedKernel>>
Device::load(const KernelText &text, const std::vector<Setting> &options,
             const std::string &where) {
  std::vector<std::pair<std::string, std::string>> chosen;
  for (const Setting &option : options)
    if (optionNames.contains(option.name) && !option.value.isNone())
      chosen.emplace_back(option.name, optionText(option.value));
  host::Sha256 sum;
  sum.update(Json(chosen).dump() + '\n');
  sum.update(text.ttir);
  std::string key = sum.finish().hex();
  // Held while compiling: two plans with the same kernel load it once.
  std::lock_guard lock(mutex);
  if (auto known = loaded.find(key); known != loaded.end())
    return known->second;

  std::vector<nereid_value_t> values;
  for (const auto &[name, value] : chosen) {
    nereid_value_t each = {};
    each.name = borrow(name);
    each.type = NEREID_TYPE_STRING;
    each.text = borrow(value);
    values.push_back(each);
  }
  nereid_compile_request_t request = {};
  request.struct_size = sizeof request;
  request.source = {text.ttir.data(), text.ttir.size()};
  request.source_name = borrow(where);
  request.device = index;
  request.options = values.data();
  request.option_count = values.size();
  nereid_artifact_t *made = nullptr;
  if (nereid_status_t status = nereid_compile(backend, &request, &made))
    return lastFailure(status, where);
  std::unique_ptr<nereid_artifact_t, DestroyArtifact> artifact(made);
  nereid_function_t *function = nullptr;
  if (nereid_status_t status =
          nereid_function_load(backend, index, artifact.get(), &function))
    return lastFailure(status, where);
  auto kernel = std::make_shared<LoadedKernel>(function);
  if (Outcome described = describe(*kernel); !described)
    return described.failure();
  return loaded[key] = kernel;
}

} // namespace nereid::ops
