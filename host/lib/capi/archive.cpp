// archive.cpp - reading and launching archives, for host programs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "abi/Struct.h"
#include "archive/ArchiveDevice.h"
#include "archive/ArchiveTarget.h"
#include "archive/Describe.h"
#include "capi/ArchiveHandles.h"
#include "compile/CompilerChoice.h"
#include "plugin/PluginRegistry.h"
#include "runtime/Runtime.h"
#include "support/Error.h"
#include "support/Json.h"
#include "text/ShortTarget.h"

using namespace nereid::host;

nereid_status_t nereid_archive_open(const nereid_archive_open_t *request,
                                    nereid_archive_t **out_archive) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(request, "request"), require(out_archive, "out_archive")})
      if (!given)
        return given;
    nereid_archive_open_t wanted = readStruct(*request);
    ArchiveSource source;
    source.path = view(wanted.path);
    source.name = view(wanted.name);
    if (source.path.empty() && !wanted.memory.data)
      return Failure{NEREID_INVALID_ARGUMENT,
                     "the archive has neither a path nor memory"};
    if (wanted.memory.data)
      source.memory = {static_cast<const char *>(wanted.memory.data),
                       wanted.memory.size};
    if (wanted.contract.size) {
      if (wanted.contract.size != integritySize || !wanted.contract.data)
        return Failure{NEREID_INVALID_ARGUMENT,
                       "the contract is " +
                           std::to_string(wanted.contract.size) +
                           " bytes, expected " + std::to_string(integritySize)};
      source.contract.emplace();
      std::memcpy(source.contract->data(), wanted.contract.data, integritySize);
    }
    Result<std::shared_ptr<const Archive>> archive =
        Archive::open(std::move(source));
    if (!archive)
      return archive.failure();
    *out_archive = new nereid_archive_t{std::move(*archive)};
    return {};
  });
}

void nereid_archive_destroy(nereid_archive_t *archive) { delete archive; }

nereid_status_t nereid_archive_info(const nereid_archive_t *archive,
                                    nereid_archive_info_t *out_info) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(archive, "archive"); !given)
      return given;
    const Archive &opened = *archive->archive;
    nereid_archive_info_t info = {};
    info.struct_size = sizeof info;
    info.kernel_count = opened.counts().kernels;
    info.target_count = opened.counts().targets;
    info.image_count = opened.counts().images;
    info.format_major = archiveMajor;
    info.format_minor = opened.header().minor;
    info.size = opened.header().totalSize;
    info.contract = {opened.header().contract.data(), integritySize};
    return writeStruct(info, out_info);
  });
}

// Runs `work` with the open archive, for a kernel that it has.
template <typename Work>
static nereid_status_t withKernel(const nereid_archive_t *archive,
                                  uint32_t kernel, Work work) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(archive, "archive"); !given)
      return given;
    const Archive &opened = *archive->archive;
    if (kernel >= opened.counts().kernels)
      return Failure{NEREID_NOT_FOUND,
                     opened.name() + ": no kernel " + std::to_string(kernel) +
                         ", it has " + std::to_string(opened.counts().kernels)};
    return work(opened);
  });
}

nereid_status_t nereid_archive_kernel(const nereid_archive_t *archive,
                                      uint32_t kernel,
                                      nereid_archive_kernel_t *out_kernel) {
  return withKernel(archive, kernel, [&](const Archive &opened) -> Outcome {
    Result<ArgumentLayout> layout = opened.argumentsOf(kernel);
    if (!layout)
      return layout.failure();
    KernelRecord record = opened.kernel(kernel);
    nereid_archive_kernel_t info = {};
    info.struct_size = sizeof info;
    info.argument_count = record.arguments.count;
    info.constant_count = record.constants.count;
    info.variant_count = record.variants.count;
    info.name = borrow(opened.text(record.name));
    info.group = borrow(opened.text(record.group));
    info.arguments_size = layout->size;
    std::copy_n(record.grid, 3, info.grid);
    return writeStruct(info, out_kernel);
  });
}

static Failure noItem(const Archive &archive, uint32_t kernel,
                      std::string_view what, uint32_t index, size_t count) {
  return {NEREID_NOT_FOUND, archive.name() + ": kernel '" +
                                std::string(archive.kernelName(kernel)) +
                                "' has no " + std::string(what) + " " +
                                std::to_string(index) + ", it has " +
                                std::to_string(count)};
}

nereid_status_t nereid_archive_argument(const nereid_archive_t *archive,
                                        uint32_t kernel, uint32_t index,
                                        nereid_argument_t *out_argument) {
  return withKernel(archive, kernel, [&](const Archive &opened) -> Outcome {
    Result<ArgumentLayout> layout = opened.argumentsOf(kernel);
    if (!layout)
      return layout.failure();
    if (index >= layout->arguments.size())
      return noItem(opened, kernel, "argument", index,
                    layout->arguments.size());
    ArgumentRecord record =
        opened.argument(opened.kernel(kernel).arguments.first + index);
    nereid_argument_t argument = {};
    argument.struct_size = sizeof argument;
    argument.offset = layout->arguments[index].offset;
    argument.size = layout->arguments[index].size;
    argument.name = borrow(opened.text(record.name));
    argument.type = borrow(opened.text(record.type));
    return writeStruct(argument, out_argument);
  });
}

nereid_status_t nereid_archive_constant(const nereid_archive_t *archive,
                                        uint32_t kernel, uint32_t index,
                                        nereid_string_t *out_name,
                                        nereid_string_t *out_value) {
  return withKernel(archive, kernel, [&](const Archive &opened) -> Outcome {
    for (Outcome given :
         {require(out_name, "out_name"), require(out_value, "out_value")})
      if (!given)
        return given;
    Range constants = opened.kernel(kernel).constants;
    if (index >= constants.count)
      return noItem(opened, kernel, "constant", index, constants.count);
    ConstantRecord record = opened.constant(constants.first + index);
    *out_name = borrow(opened.text(record.name));
    *out_value = borrow(opened.text(record.value));
    return {};
  });
}

nereid_status_t nereid_archive_find(const nereid_archive_t *archive,
                                    nereid_string_t name,
                                    uint32_t *out_kernel) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(archive, "archive"), require(out_kernel, "out_kernel")})
      if (!given)
        return given;
    Result<uint32_t> found = archive->archive->find(view(name));
    if (!found)
      return found.failure();
    *out_kernel = *found;
    return {};
  });
}

nereid_status_t nereid_archive_group(const nereid_archive_t *archive,
                                     nereid_string_t group,
                                     const uint32_t **out_kernels,
                                     uint64_t *out_count) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(archive, "archive"), require(out_kernels, "out_kernels"),
          require(out_count, "out_count")})
      if (!given)
        return given;
    Result<std::span<const uint32_t>> found =
        archive->archive->group(view(group));
    if (!found)
      return found.failure();
    *out_kernels = found->data();
    *out_count = found->size();
    return {};
  });
}

nereid_status_t nereid_archive_describe(const nereid_archive_t *archive,
                                        nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(archive, "archive"); !given)
      return given;
    return giveJson(describeArchive(*archive->archive), out_json);
  });
}

nereid_status_t nereid_archive_describe_kernel(const nereid_archive_t *archive,
                                               uint32_t kernel,
                                               nereid_buffer_t **out_json) {
  return withKernel(archive, kernel, [&](const Archive &opened) -> Outcome {
    Result<Json> json = describeKernelOf(opened, kernel);
    if (!json)
      return json.failure();
    return giveJson(*json, out_json);
  });
}

nereid_status_t nereid_archive_verify(const nereid_archive_t *archive) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(archive, "archive"); !given)
      return given;
    return archive->archive->verify();
  });
}

// The place of a variant's record.
static Result<uint32_t> variantPlace(const Archive &archive, uint32_t kernel,
                                     uint32_t variant) {
  Range variants = archive.kernel(kernel).variants;
  if (variant >= variants.count)
    return noItem(archive, kernel, "variant", variant, variants.count);
  return variants.first + variant;
}

nereid_status_t nereid_archive_image(const nereid_archive_t *archive,
                                     uint32_t kernel, uint32_t variant,
                                     nereid_string_t target,
                                     nereid_artifact_t **out_artifact) {
  return withKernel(archive, kernel, [&](const Archive &opened) -> Outcome {
    if (Outcome given = require(out_artifact, "out_artifact"); !given)
      return given;
    Result<uint32_t> place = variantPlace(opened, kernel, variant);
    if (!place)
      return place.failure();
    Range images = opened.variant(*place).images;
    std::string known;
    for (uint32_t i = images.first; i < images.first + images.count; ++i) {
      std::string text = targetOf(opened, opened.image(i).target).text();
      if (text == view(target)) {
        Result<std::unique_ptr<Artifact>> artifact =
            readArtifact(opened, i, std::string(opened.kernelName(kernel)));
        if (!artifact)
          return artifact.failure();
        // A view of the archive's memory must not outlive it.
        if (!(*artifact)->keepAlive) {
          (*artifact)->storage = (*artifact)->output;
          (*artifact)->output = (*artifact)->storage;
        }
        *out_artifact = new nereid_artifact_t{std::move(*artifact)};
        return {};
      }
      known += (known.empty() ? "'" : ", '") + nereid::shortTarget(text) + "'";
    }
    return Failure{
        NEREID_NOT_FOUND,
        opened.name() + ": kernel '" + std::string(opened.kernelName(kernel)) +
            "' has no image for target '" + nereid::shortTarget(view(target)) +
            "', only for " + (known.empty() ? "none" : known)};
  });
}

nereid_status_t nereid_archive_ttir(const nereid_archive_t *archive,
                                    uint32_t kernel, uint32_t variant,
                                    nereid_buffer_t **out_ttir) {
  return withKernel(archive, kernel, [&](const Archive &opened) -> Outcome {
    Result<uint32_t> place = variantPlace(opened, kernel, variant);
    if (!place)
      return place.failure();
    uint32_t blob = opened.variant(*place).ttir;
    if (blob == noBlob)
      return Failure{NEREID_NOT_FOUND,
                     opened.name() + ": the TTIR of kernel '" +
                         std::string(opened.kernelName(kernel)) +
                         "' is not embedded"};
    Result<ArchiveBytes> bytes = opened.read(blob);
    if (!bytes)
      return bytes.failure();
    return giveText(std::string(bytes->bytes), out_ttir);
  });
}

nereid_status_t nereid_archive_file(const nereid_archive_t *archive,
                                    nereid_string_t name,
                                    nereid_buffer_t **out_bytes) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(archive, "archive"); !given)
      return given;
    Result<ArchiveBytes> bytes = archive->archive->readNamed(view(name));
    if (!bytes)
      return bytes.failure();
    return giveText(std::string(bytes->bytes), out_bytes);
  });
}

// "name=value" lines as values, which borrow the text.
static std::vector<nereid_value_t> optionValues(std::string_view lines) {
  std::vector<nereid_value_t> values;
  while (!lines.empty()) {
    std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    size_t equals = line.find('=');
    if (equals == line.npos)
      continue;
    nereid_value_t value = {};
    value.name = borrow(line.substr(0, equals));
    value.type = NEREID_TYPE_STRING;
    value.text = borrow(line.substr(equals + 1));
    values.push_back(value);
  }
  return values;
}

static CompileTtir compilerFor(nereid_backend_t *backend, uint32_t device) {
  return [backend, device](
             std::string_view ttir, std::string_view name,
             std::string_view options) -> Result<std::unique_ptr<Artifact>> {
    const Runtime &runtime = *backend->runtime;
    Result<CompilerChoice> choice =
        chooseCompiler(backend->plugin, nullptr, device,
                       {runtime.plugins().backends(),
                        runtime.settings().compiler, &runtime.log()});
    if (!choice)
      return choice.failure();
    std::vector<nereid_value_t> values = optionValues(options);
    nereid_compile_request_t request = {};
    request.struct_size = sizeof request;
    request.source = {ttir.data(), ttir.size()};
    request.source_name = borrow(name);
    request.device = device;
    request.options = values.data();
    request.option_count = values.size();
    return compile(runtime.compileContext(), *choice, request);
  };
}

nereid_status_t nereid_archive_load(const nereid_archive_t *archive,
                                    nereid_backend_t *backend, uint32_t device,
                                    uint32_t flags,
                                    nereid_archive_device_t **out_device) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(archive, "archive"), require(backend, "backend"),
          require(out_device, "out_device")})
      if (!given)
        return given;
    if (flags & ~NEREID_ARCHIVE_COMPILE)
      return Failure{NEREID_INVALID_ARGUMENT,
                     "unknown flags " + std::to_string(flags)};
    CompileTtir compile;
    if (flags & NEREID_ARCHIVE_COMPILE)
      compile = compilerFor(backend, device);
    const Runtime &runtime = *backend->runtime;
    Result<std::unique_ptr<ArchiveDevice>> loaded = ArchiveDevice::make(
        archive->archive, backend->plugin, device, std::move(compile),
        &runtime.log(), runtime.trace());
    if (!loaded)
      return loaded.failure();
    *out_device = new nereid_archive_device_t(backend, std::move(*loaded));
    return {};
  });
}

void nereid_archive_device_destroy(nereid_archive_device_t *device) {
  delete device;
}

nereid_status_t nereid_archive_prepare(nereid_archive_device_t *device,
                                       uint32_t kernel) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(device, "device"); !given)
      return given;
    return device->archive->prepare(kernel);
  });
}

// The fields of ABI 1.0, which every caller has.
static constexpr uint32_t leastLaunchSize = offsetof(nereid_launch_t, scratch);

nereid_status_t nereid_archive_launch(nereid_archive_device_t *device,
                                      uint32_t kernel,
                                      const nereid_launch_t *launch) {
  if (!device || !launch || launch->struct_size < leastLaunchSize) [[unlikely]]
    return guarded([&]() -> Outcome {
      for (Outcome given :
           {require(device, "device"), require(launch, "launch")})
        if (!given)
          return given;
      return Failure{NEREID_INVALID_ARGUMENT,
                     "struct_size of the launch is " +
                         std::to_string(launch->struct_size) +
                         ", expected its sizeof"};
    });
  return device->archive->launch(kernel, *launch);
}

nereid_status_t nereid_archive_explain(nereid_archive_device_t *device,
                                       uint32_t kernel,
                                       nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(device, "device"); !given)
      return given;
    Result<Json> json = device->archive->explain(kernel);
    if (!json)
      return json.failure();
    return giveJson(*json, out_json);
  });
}
