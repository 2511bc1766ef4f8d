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

// What the compiler is and has.
Outcome Device::readCompiler(const nereid_target_t &target) {
  nereid_backend_t *compiler = nullptr;
  if (nereid_status_t status =
          nereid_backend_compiler(backend, index, &compiler))
    return lastFailure(status);
  nereid_backend_info_t info = {};
  info.struct_size = sizeof info;
  if (nereid_status_t status = nereid_backend_info(compiler, &info))
    return lastFailure(status);
  nereid_buffer_t *buffer = nullptr;
  if (nereid_status_t status =
          nereid_backend_options(compiler, &target, &buffer))
    return lastFailure(status);
  for (const Json &option : Json::parse(textOf(buffer), nullptr, false))
    optionNames.insert(option.value("name", ""));
  if (nereid_status_t status =
          nereid_backend_frontend(compiler, &target, &buffer))
    return lastFailure(status);
  frontend = textOf(buffer);
  facts.compiler =
      std::string(view(info.id)) + '-' + std::string(view(info.version));
  return {};
}

// The compiler that made the images for devices of \p type in an archive.
static std::optional<CompilerIdentity>
compilerOf(const nereid_archive_t *archive, std::string_view type) {
  nereid_buffer_t *buffer = nullptr;
  if (nereid_archive_file(archive, borrow(compilersName), &buffer))
    return std::nullopt;
  Json list = Json::parse(textOf(buffer), nullptr, false);
  if (!list.is_array())
    return std::nullopt;
  auto text = [](const Json &object, const char *name) {
    auto found = object.find(name);
    return found != object.end() && found->is_string()
               ? found->get<std::string>()
               : std::string();
  };
  for (const Json &each : list)
    if (each.is_object() && text(each, "device_type") == type)
      return CompilerIdentity{text(each, "id"), text(each, "version"),
                              text(each, "build_id"),
                              text(each, "dependencies")};
  return std::nullopt;
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
  Outcome read = readCompiler(target);
  if (!read) {
    // Kernels of an archive need none.
    for (const std::unique_ptr<Pack> &pack : packs.packs())
      if (auto known = packs.archiveOf(pack->directory() + "/").archive)
        if (!archivedCompiler)
          archivedCompiler = compilerOf(known, view(target.backend));
    if (!archivedCompiler)
      return read;
    facts.compiler = archivedCompiler->plugin + '-' + archivedCompiler->release;
  }
  Result<TargetFacts> found = targetFacts(
      view(target.backend), view(target.arch), facts.compiler, properties);
  if (!found)
    return found.failure();
  facts = std::move(*found);
  return {};
}

Result<Origin> Device::origin() const {
  if (!archivedCompiler)
    return originOf(backend, index);
  Result<DeviceIdentity> device = deviceOf(backend, index);
  if (!device)
    return device.failure();
  return Origin{*archivedCompiler, std::move(*device)};
}

Result<std::unique_ptr<Device>>
Device::open(const Packs &packs, nereid_runtime_t *runtime,
             nereid_backend_t *backend, uint32_t number,
             const std::string &python, KernelCallback callback) {
  std::unique_ptr<Device> device(new Device(packs, backend, number));
  if (Outcome read = device->readFacts(); !read)
    return read.failure();
  KernelMakerOptions options;
  options.python = python;
  options.callback = std::move(callback);
  nereid_cache_stat_t stat = {};
  stat.struct_size = sizeof stat;
  if (nereid_cache_stat(runtime, &stat) == NEREID_OK && stat.enabled)
    options.cacheDir = view(stat.directory);
  options.facts = device->frontend;
  device->kernels = std::make_unique<KernelMaker>(std::move(options));
  device->pool = std::make_unique<TemporaryPool>(backend, number);
  return device;
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
Device::load(const KernelText &text, const std::vector<NamedValue> &options,
             const std::string &where) {
  std::vector<std::pair<std::string, std::string>> chosen;
  for (const NamedValue &option : options)
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

// ---------------------------------------------------------------- archives

Result<nereid_archive_device_t *>
Device::loadArchive(const nereid_archive_t *archive) {
  auto &known = archives[archive];
  if (known)
    return known.get();
  nereid_archive_device_t *made = nullptr;
  if (nereid_status_t status = nereid_archive_load(
          archive, backend, index, NEREID_ARCHIVE_COMPILE, &made))
    return lastFailure(status);
  known.reset(made);
  return made;
}

// The kernel's arguments as the archive packs them.
static Result<UsableKernel> describe(const nereid_archive_t *archive,
                                     nereid_archive_device_t *device,
                                     uint32_t number) {
  nereid_archive_kernel_t info = {};
  info.struct_size = sizeof info;
  if (nereid_status_t status = nereid_archive_kernel(archive, number, &info))
    return lastFailure(status);
  auto kernel = std::make_shared<LoadedKernel>(device, number);
  kernel->blockSize = info.arguments_size;
  UsableKernel usable;
  for (uint32_t i = 0; i < info.argument_count; ++i) {
    nereid_argument_t argument = {};
    argument.struct_size = sizeof argument;
    if (nereid_status_t status =
            nereid_archive_argument(archive, number, i, &argument))
      return lastFailure(status);
    std::string name(view(argument.name));
    usable.arguments.push_back(argumentOfArchive(name));
    kernel->arguments.push_back({argument.offset, argument.size,
                                 std::move(name),
                                 std::string(view(argument.type))});
  }
  usable.kernel = std::move(kernel);
  return usable;
}

Result<UsableKernel> Device::fromArchive(const ArchivedPack &archived,
                                         const WantedKernel &wanted) {
  std::string name = archivedName(
      wanted, archived.pack->model()->relative(wanted.request.file.string()));
  std::lock_guard lock(mutex);
  const uint32_t *numbers = nullptr;
  uint64_t count = 0;
  if (nereid_archive_group(archived.archive, borrow(name), &numbers, &count))
    return Failure{NEREID_NOT_FOUND,
                   archived.pack->directory() + ": it was not built for " +
                       wanted.where + " with these types and constants"};
  Result<nereid_archive_device_t *> on = loadArchive(archived.archive);
  if (!on)
    return on.failure();
  Failure failure;
  for (uint64_t i = 0; i < count; ++i) {
    nereid_status_t status = nereid_archive_prepare(*on, numbers[i]);
    if (!status)
      return ops::describe(archived.archive, *on, numbers[i]);
    if (!i)
      failure = lastFailure(status);
  }
  return failure;
}

Result<UsableKernel> Device::make(const WantedKernel &wanted) {
  Result<KernelText> text = kernels->make(wanted.request);
  if (!text)
    return text.failure();
  Result<std::shared_ptr<const LoadedKernel>> kernel =
      load(*text, wanted.options, wanted.where);
  if (!kernel)
    return kernel.failure();
  return UsableKernel{std::move(*kernel), std::move(text->arguments)};
}

// Of an archive; where that does not have it, made of the sources in it.
Result<UsableKernel> Device::kernel(const WantedKernel &wanted) {
  ArchivedPack archived = packs.archiveOf(wanted.request.file.string());
  if (!archived.archive)
    return make(wanted);
  Result<UsableKernel> found = fromArchive(archived, wanted);
  if (found)
    return found;
  std::filesystem::path folder = wanted.request.file.parent_path();
  Result<std::filesystem::path> unpacked = sources.folderOf(
      folder.string(), archived.pack->model()->sourcesIn(folder.string()));
  if (!unpacked)
    return unpacked.failure();
  WantedKernel own = wanted;
  own.request.file = *unpacked / wanted.request.file.filename();
  Result<UsableKernel> made = make(own);
  if (made)
    return made;
  return Failure{made.failure().status,
                 found.failure().text +
                     "\nnote: it cannot be made here: " + made.failure().text};
}

} // namespace nereid::ops
