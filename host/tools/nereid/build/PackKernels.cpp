// PackKernels.cpp - asks libnereid-ops for the kernels of a pack.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "build/PackKernels.h"

#include "Files.h"

#include "nereid/ops.h"

#include <algorithm>
#include <filesystem>

namespace nereid::tool {

namespace filesystem = std::filesystem;

bool isPack(const std::string &path) {
  std::error_code error;
  return filesystem::is_directory(path, error);
}

namespace {
/// What kernels are made for, and what its strings borrow.
struct PackTarget {
  std::string compiler, properties, frontend;
  nereid_ops_target_t facts = {};
};
} // namespace

static Expected<std::string> takeText(nereid_status_t status,
                                      nereid_buffer_t *buffer) {
  return detail::take(status, buffer);
}

static Expected<std::unique_ptr<PackTarget>>
factsOf(const BuildTarget &target) {
  auto made = std::make_unique<PackTarget>();
  nereid_backend_info_t info = target.choice.compiler.info();
  made->compiler = std::string(detail::view(info.id)) + "-" +
                   std::string(detail::view(info.version));
  // Of a device that is not here, only the architecture is known.
  if (target.choice.driver && !target.choice.target) {
    Expected<std::string> properties =
        target.choice.driver->properties(target.choice.device);
    if (!properties)
      return properties.error();
    made->properties = std::move(*properties);
  }
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status = nereid_backend_frontend(target.choice.compiler.get(),
                                                   &target.target, &buffer);
  Expected<std::string> frontend = takeText(status, buffer);
  if (!frontend)
    return frontend.error();
  made->frontend = std::move(*frontend);
  made->facts = detail::sized<nereid_ops_target_t>();
  made->facts.device_type = target.target.backend;
  made->facts.arch = target.target.arch;
  made->facts.compiler = detail::borrow(made->compiler);
  made->facts.properties = detail::borrow(made->properties);
  return made;
}

// Which compiler made the images: tuned results are compared with it where
// there is none.
static Json compilerJson(const BuildTarget &target) {
  nereid_backend_info_t info = target.choice.compiler.info();
  auto request = detail::sized<nereid_compile_request_t>();
  request.source_name = detail::borrow("kernel.ttir");
  request.target = target.choice.request();
  request.device = target.choice.device;
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status =
      nereid_compile_key(target.choice.compiler.get(), &request, &buffer);
  Expected<Json> key = takeJson(status, buffer);
  std::string dependencies;
  if (key)
    dependencies = key->value("ingredients", Json::object())
                       .value("dependencies", std::string());
  return {{"device_type", detail::view(target.target.backend)},
          {"id", detail::view(info.id)},
          {"version", detail::view(info.version)},
          {"build_id", detail::view(info.build_id)},
          {"dependencies", dependencies}};
}

// Adds a kernel for target `place`: one that is there already with the same
// TTIR is compiled for that target too.
static Expected<void> addKernel(BuildPlan &plan, const Runtime &runtime,
                                const Json &item, size_t place) {
  std::string group = item.value("name", "");
  std::string ttir = item.value("ttir", "");
  size_t others = 0;
  for (PlannedKernel &known : plan.kernels) {
    if (known.group != group)
      continue;
    if (known.variants[0].ttir == ttir) {
      known.targets.insert(place);
      return {};
    }
    ++others;
  }
  PlannedKernel kernel;
  kernel.group = group;
  kernel.name = others ? group + "~" + std::to_string(others + 1) : group;
  kernel.targets = {place};
  Expected<NamePairs> arguments =
      ttirArguments(runtime, ttir, item.value("where", ""));
  if (!arguments)
    return arguments.error();
  const Json &names = item["arguments"];
  if (names.size() != arguments->size())
    return failure(NEREID_INTERNAL, kernel.name + ": " +
                                        std::to_string(names.size()) +
                                        " arguments, its TTIR has " +
                                        std::to_string(arguments->size()));
  PlannedVariant variant;
  for (uint32_t i = 0; i < names.size(); ++i) {
    kernel.arguments.emplace_back(names[i].get<std::string>(),
                                  (*arguments)[i].second);
    variant.parameters.push_back(i);
  }
  for (const auto &[name, text] : item["options"].items())
    kernel.options.emplace_back(name, text.get<std::string>());
  variant.ttir = std::move(ttir);
  variant.source = item.value("where", "");
  kernel.variants.push_back(std::move(variant));
  plan.kernels.push_back(std::move(kernel));
  return {};
}

Expected<void> addPack(BuildPlan &plan, const Runtime &runtime,
                       const std::vector<BuildTarget> &targets,
                       const std::string &directory, const std::string &shapes,
                       const std::string &python) {
  if (!plan.files.empty())
    return invalid(directory + ": an archive has one pack");
  std::string path = filesystem::absolute(directory).lexically_normal();
  std::string calls;
  if (!shapes.empty()) {
    Expected<std::string> text = readFile(shapes);
    if (!text)
      return text.error();
    calls = std::move(*text);
    plan.dependencies.push_back(shapes);
  }
  std::string cache;
  auto stat = detail::sized<nereid_cache_stat_t>();
  if (nereid_cache_stat(runtime.get(), &stat) == NEREID_OK && stat.enabled)
    cache = detail::view(stat.directory);
  Json compilers = Json::array();
  for (size_t place = 0; place < targets.size(); ++place) {
    Expected<std::unique_ptr<PackTarget>> facts = factsOf(targets[place]);
    if (!facts)
      return facts.error();
    auto request = detail::sized<nereid_ops_pack_request_t>();
    request.directory = detail::borrow(path);
    request.target = &(*facts)->facts;
    request.frontend = detail::borrow((*facts)->frontend);
    request.calls = detail::borrow(calls);
    request.calls_name = detail::borrow(shapes);
    request.python = detail::borrow(python);
    request.cache_dir = detail::borrow(cache);
    nereid_buffer_t *buffer = nullptr;
    nereid_status_t status = nereid_ops_pack_kernels(&request, &buffer);
    Expected<Json> made = takeJson(status, buffer);
    if (!made)
      return made.error();
    for (const Json &kernel : (*made)["kernels"])
      if (Expected<void> added = addKernel(plan, runtime, kernel, place);
          !added)
        return added;
    for (const Json &each : (*made)["failures"])
      plan.failures.push_back(
          {each.value("name", ""), "error: " + each.value("text", "")});
    compilers.push_back(compilerJson(targets[place]));
  }
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status = nereid_ops_pack_model(detail::borrow(path), &buffer);
  Expected<std::string> model = takeText(status, buffer);
  if (!model)
    return model.error();
  plan.files.emplace_back("pack.json", std::move(*model));
  plan.files.emplace_back("compilers.json", compilers.dump());
  for (const auto &file : filesystem::recursive_directory_iterator(path)) {
    std::string extension = file.path().extension();
    if (extension == ".yaml" || extension == ".py" || extension == ".json")
      plan.dependencies.push_back(file.path());
  }
  return {};
}

} // namespace nereid::tool
