// compile.cpp - compiling, for host programs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "compile/Compile.h"
#include "abi/Struct.h"
#include "capi/Handles.h"
#include "compile/CompilerChoice.h"
#include "compile/TargetFacts.h"
#include "compile/TtirService.h"
#include "plugin/PluginRegistry.h"
#include "runtime/Runtime.h"
#include "support/Error.h"
#include "support/Json.h"

using namespace nereid::host;

static Result<CompilerChoice> compilerOf(const nereid_backend_t &backend,
                                         const nereid_target_t *target,
                                         uint32_t device) {
  return chooseCompiler(backend.plugin, target, device,
                        {backend.runtime->plugins().backends(),
                         backend.runtime->settings().compiler,
                         &backend.runtime->log()});
}

nereid_status_t nereid_backend_compiler(const nereid_backend_t *backend,
                                        uint32_t device,
                                        nereid_backend_t **out_compiler) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(backend, "backend"), require(out_compiler, "out_compiler")})
      if (!given)
        return given;
    // Compiling for a backend needs no device to be there.
    if (backend->plugin->hasDriver && backend->plugin->probe().result.score > 0)
      if (Outcome checked = checkDevice(*backend->plugin, device); !checked)
        return checked;
    if (backend->plugin->hasCompiler &&
        backend->runtime->settings().compiler.empty()) {
      *out_compiler = backend->runtime->backend(backend->plugin);
      return {};
    }
    Result<CompilerChoice> choice = compilerOf(*backend, nullptr, device);
    if (!choice)
      return choice.failure();
    *out_compiler = backend->runtime->backend(choice->compiler);
    return {};
  });
}

nereid_status_t nereid_runtime_compiler(const nereid_runtime_t *runtime,
                                        const nereid_target_t *target,
                                        nereid_backend_t **out_compiler) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(runtime, "runtime"), require(target, "target"),
          require(out_compiler, "out_compiler")})
      if (!given)
        return given;
    Result<std::shared_ptr<Plugin>> chosen = chooseCompiler(
        Target::copy(*target), {runtime->plugins().backends(),
                                runtime->settings().compiler, &runtime->log()});
    if (!chosen)
      return chosen.failure();
    *out_compiler = runtime->backend(*chosen);
    return {};
  });
}

// Gives `work` a request as this version knows it, and who compiles it.
template <typename Work>
static nereid_status_t withRequest(const nereid_backend_t *backend,
                                   const nereid_compile_request_t *request,
                                   Work work) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(backend, "backend"), require(request, "request")})
      if (!given)
        return given;
    nereid_compile_request_t wanted = readStruct(*request);
    Result<CompilerChoice> choice =
        compilerOf(*backend, wanted.target, wanted.device);
    if (!choice)
      return choice.failure();
    return work(*choice, wanted);
  });
}

nereid_status_t nereid_compile(nereid_backend_t *backend,
                               const nereid_compile_request_t *request,
                               nereid_artifact_t **out_artifact) {
  return withRequest(
      backend, request,
      [&](const CompilerChoice &choice,
          const nereid_compile_request_t &wanted) -> Outcome {
        if (Outcome given = require(out_artifact, "out_artifact"); !given)
          return given;
        Result<std::unique_ptr<Artifact>> result =
            compile(backend->runtime->compileContext(), choice, wanted);
        if (!result)
          return result.failure();
        *out_artifact = new nereid_artifact_t{std::move(*result)};
        return {};
      });
}

nereid_status_t nereid_compile_key(nereid_backend_t *backend,
                                   const nereid_compile_request_t *request,
                                   nereid_buffer_t **out_json) {
  return withRequest(backend, request,
                     [&](const CompilerChoice &choice,
                         const nereid_compile_request_t &wanted) -> Outcome {
                       Result<Json> described = describeKey(
                           backend->runtime->compileContext(), choice, wanted);
                       if (!described)
                         return described.failure();
                       return giveJson(*described, out_json);
                     });
}

nereid_status_t nereid_compile_check(nereid_backend_t *backend,
                                     const nereid_compile_request_t *request) {
  return withRequest(backend, request,
                     [&](const CompilerChoice &choice,
                         const nereid_compile_request_t &wanted) {
                       return checkRequest(backend->runtime->compileContext(),
                                           choice, wanted);
                     });
}

void nereid_artifact_destroy(nereid_artifact_t *artifact) { delete artifact; }

nereid_status_t nereid_artifact_info(const nereid_artifact_t *artifact,
                                     nereid_artifact_info_t *out_info) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(artifact, "artifact"); !given)
      return given;
    const Artifact &result = *artifact->artifact;
    nereid_artifact_info_t info = {};
    info.struct_size = sizeof info;
    info.from_cache = result.isFromCache;
    info.is_image = result.isImage;
    info.output = {result.output.data(), result.output.size()};
    info.kind = borrow(result.kind);
    info.last_stage = borrow(result.lastStage);
    info.extension = borrow(result.extension);
    info.key = borrow(result.key);
    info.name = borrow(result.metadata.string("name").value_or(""));
    info.metadata = result.metadata.items().data();
    info.metadata_count = result.metadata.items().size();
    return writeStruct(info, out_info);
  });
}

nereid_status_t nereid_artifact_describe(const nereid_artifact_t *artifact,
                                         nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(artifact, "artifact"); !given)
      return given;
    return giveJson(artifact->artifact->describe(), out_json);
  });
}

static Result<std::string_view> outputOf(const Artifact &result,
                                         std::string_view stage) {
  if (stage == result.lastStage)
    return result.output;
  std::string known = result.lastStage;
  for (const StageOutput &output : result.kept) {
    if (output.stage == stage)
      return std::string_view(output.bytes);
    known += ", " + output.stage;
  }
  return Failure{NEREID_NOT_FOUND, result.sourceName +
                                       ": nothing was kept of "
                                       "stage '" +
                                       std::string(stage) +
                                       "', only of: " + known};
}

nereid_status_t nereid_artifact_stage(const nereid_artifact_t *artifact,
                                      nereid_string_t stage,
                                      nereid_bytes_t *out_output) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(artifact, "artifact"), require(out_output, "out_output")})
      if (!given)
        return given;
    Result<std::string_view> output =
        outputOf(*artifact->artifact, view(stage));
    if (!output)
      return output.failure();
    *out_output = {output->data(), output->size()};
    return {};
  });
}

nereid_status_t nereid_artifact_save(const nereid_artifact_t *artifact,
                                     nereid_buffer_t **out_file) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(artifact, "artifact"); !given)
      return given;
    Result<std::string> file = artifact->artifact->save();
    if (!file)
      return file.failure();
    return giveText(std::move(*file), out_file);
  });
}

nereid_status_t nereid_artifact_open(nereid_runtime_t *runtime,
                                     nereid_bytes_t file, nereid_string_t name,
                                     nereid_artifact_t **out_artifact) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(runtime, "runtime"), require(out_artifact, "out_artifact")})
      if (!given)
        return given;
    if (file.size && !file.data)
      return require(file.data, "file");
    Result<std::unique_ptr<Artifact>> result =
        Artifact::open({static_cast<const char *>(file.data), file.size},
                       view(name), runtime->cache());
    if (!result)
      return result.failure();
    *out_artifact = new nereid_artifact_t{std::move(*result)};
    return {};
  });
}

// Gives what `read` finds out about the compiler for a target, as JSON.
template <typename Read>
static nereid_status_t describeTarget(const nereid_backend_t *backend,
                                      const nereid_target_t *target,
                                      nereid_buffer_t **out_json, Read read) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(backend, "backend"); !given)
      return given;
    Result<CompilerChoice> choice = compilerOf(*backend, target, 0);
    if (!choice)
      return choice.failure();
    Result<Json> found = read(*choice, &backend->runtime->log());
    if (!found)
      return found.failure();
    return giveJson(*found, out_json);
  });
}

nereid_status_t nereid_backend_options(const nereid_backend_t *backend,
                                       const nereid_target_t *target,
                                       nereid_buffer_t **out_json) {
  return describeTarget(
      backend, target, out_json,
      [](const CompilerChoice &choice, const Log *log) -> Result<Json> {
        Result<std::vector<OptionSchema>> schema =
            readSchema(*choice.compiler, choice.target.get(), log);
        if (!schema)
          return schema.failure();
        return schemaJson(*schema);
      });
}

nereid_status_t nereid_backend_stages(const nereid_backend_t *backend,
                                      const nereid_target_t *target,
                                      const nereid_value_t *options,
                                      uint64_t option_count,
                                      nereid_buffer_t **out_json) {
  if (option_count && !options)
    return guarded([&] { return require(options, "options"); });
  return describeTarget(
      backend, target, out_json,
      [&](const CompilerChoice &choice, const Log *log) -> Result<Json> {
        Result<ParsedOptions> parsed =
            ParsedOptions::parse(*choice.compiler, choice.target.get(),
                                 {options, option_count}, log);
        if (!parsed)
          return parsed.failure();
        Result<std::vector<Stage>> stages =
            readStages(*choice.compiler, *parsed, log);
        if (!stages)
          return stages.failure();
        return stagesJson(*stages);
      });
}

nereid_status_t nereid_backend_frontend(const nereid_backend_t *backend,
                                        const nereid_target_t *target,
                                        nereid_buffer_t **out_json) {
  return describeTarget(
      backend, target, out_json,
      [](const CompilerChoice &choice, const Log *log) -> Result<Json> {
        Result<Values> facts =
            readFrontendFacts(*choice.compiler, choice.target, log);
        if (!facts)
          return facts.failure();
        return facts->json();
      });
}

nereid_status_t nereid_backend_libdevice(const nereid_backend_t *backend,
                                         const nereid_target_t *target,
                                         nereid_buffer_t **out_json) {
  return describeTarget(backend, target, out_json,
                        [](const CompilerChoice &choice, const Log *log) {
                          return readLibdevice(*choice.compiler, choice.target,
                                               log);
                        });
}

nereid_status_t nereid_runtime_describe_ttir(const nereid_runtime_t *runtime,
                                             nereid_bytes_t source,
                                             nereid_string_t name,
                                             nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    for (Outcome given :
         {require(runtime, "runtime"), require(out_json, "out_json")})
      if (!given)
        return given;
    if (source.size && !source.data)
      return require(source.data, "source");
    Result<std::string> json =
        describeTtir({static_cast<const char *>(source.data), source.size},
                     view(name), &runtime->log());
    if (!json)
      return json.failure();
    return giveText(std::move(*json), out_json);
  });
}
