// pack.cpp - what the archive of a pack is made of, for host programs.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "call/PackKernels.h"
#include "capi/KernelSource.h"
#include "select/Describe.h"
#include "support/Json.h"

#include <filesystem>

using namespace nereid::ops;
using nereid::host::Json;
using nereid::host::readStruct;

nereid_status_t nereid_ops_pack_model(nereid_string_t directory,
                                      nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    Result<std::string> model = ModelFiles::write(std::string(view(directory)));
    if (!model)
      return model.failure();
    return giveText(*model, out_json);
  });
}

// The pack in the directory first, then what every program finds: a pack for
// one vendor uses operators of the generic one.
static Packs findPacks(const std::string &directory) {
  PackSearch search;
  search.directories = directory;
  search.allowsWritable = true; // it was named
  return Packs::find(search);
}

static Json jsonOf(const PackKernels &made) {
  Json kernels = Json::array(), failures = Json::array();
  for (const PackKernel &kernel : made.kernels) {
    Json options = Json::object();
    for (const auto &[name, text] : kernel.options)
      options[name] = text;
    kernels.push_back({{"name", kernel.name},
                       {"where", kernel.where},
                       {"ttir", kernel.ttir},
                       {"arguments", kernel.arguments},
                       {"options", std::move(options)}});
  }
  for (const PackKernels::Problem &failure : made.failures)
    failures.push_back({{"name", failure.name}, {"text", failure.text}});
  return {{"kernels", std::move(kernels)}, {"failures", std::move(failures)}};
}

nereid_status_t
nereid_ops_pack_kernels(const nereid_ops_pack_request_t *request,
                        nereid_buffer_t **out_json) {
  return guarded([&]() -> Outcome {
    if (Outcome given = require(request, "request"); !given)
      return given;
    nereid_ops_pack_request_t wanted = readStruct(*request);
    if (Outcome given = require(wanted.target, "target"); !given)
      return given;
    nereid_ops_target_t target = readStruct(*wanted.target);
    Result<TargetFacts> facts =
        targetFacts(view(target.device_type), view(target.arch),
                    view(target.compiler), view(target.properties));
    if (!facts)
      return facts.failure();
    std::vector<NamedCall> calls;
    if (!view(wanted.calls).empty()) {
      Result<std::vector<NamedCall>> read =
          readCalls(view(wanted.calls), std::string(view(wanted.calls_name)));
      if (!read)
        return read.failure();
      calls = std::move(*read);
    }
    std::string directory =
        std::filesystem::absolute(view(wanted.directory)).lexically_normal();
    while (directory.size() > 1 && directory.ends_with('/'))
      directory.pop_back();
    Packs packs = findPacks(directory);
    for (const Problem &problem : packs.problems())
      if (problem.file.starts_with(directory))
        return Failure{NEREID_INVALID_ARGUMENT, problem.message()};
    KernelMakerOptions options;
    options.python = view(wanted.python);
    options.cacheDir = view(wanted.cache_dir);
    options.facts = view(wanted.frontend);
    options.callback = callbackOf(wanted.kernels);
    KernelMaker maker(std::move(options));
    return giveText(
        jsonOf(kernelsOf(packs, directory, *facts, calls, maker)).dump(),
        out_json);
  });
}
