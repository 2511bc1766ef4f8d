// Plan.cpp - reads TTIR files and lists of kernels.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "build/Plan.h"

#include "Files.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <regex>

namespace nereid::tool {

std::vector<std::string> BuildPlan::names() const {
  std::vector<std::string> all;
  for (const PlannedKernel &kernel : kernels)
    all.push_back(kernel.name);
  for (const PlanFailure &failure : failures)
    all.push_back(failure.name);
  return all;
}

// What an argument's attributes promise is a number with a type; the hints of
// operations are dense tensors.
std::string withoutHints(const std::string &ttir) {
  static const std::regex hint(
      "tt\\.(divisibility|contiguity|constancy|pointer_range) = -?[0-9]+ : "
      "i(32|64)(, )?");
  static const std::regex dangling(", \\}");
  return std::regex_replace(std::regex_replace(ttir, hint, ""), dangling, "}");
}

// "!tt.ptr<f32>" is "*f32"; nothing for what a launch cannot pass.
static std::optional<std::string> argumentType(std::string type) {
  static constexpr std::string_view pointer = "!tt.ptr<";
  if (type.starts_with(pointer) && type.ends_with('>')) {
    std::string pointee =
        type.substr(pointer.size(), type.size() - pointer.size() - 1);
    // An address space follows the type after a comma.
    if (size_t comma = pointee.find(", ");
        comma != pointee.npos && pointee.find('<') == pointee.npos)
      pointee.resize(comma);
    std::optional<std::string> inner = argumentType(pointee);
    if (inner)
      return "*" + *inner;
    std::transform(pointee.begin(), pointee.end(), pointee.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    bool isFloat8 = pointee.starts_with("f8");
    return isFloat8 ? std::optional("*" + pointee) : std::nullopt;
  }
  static constexpr std::string_view scalars[] = {
      "i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"};
  if (std::find(std::begin(scalars), std::end(scalars), type) !=
      std::end(scalars))
    return type;
  return std::nullopt;
}

static Expected<Json> describe(const Runtime &runtime, const std::string &ttir,
                               const std::string &name) {
  nereid_buffer_t *buffer = nullptr;
  nereid_status_t status = nereid_runtime_describe_ttir(
      runtime.get(), {ttir.data(), ttir.size()}, detail::borrow(name), &buffer);
  Expected<Json> described = takeJson(status, buffer);
  if (!described)
    return described.error();
  const Json &functions = (*described)["functions"];
  if (functions.size() != 1)
    return failure(workFailed, name + ": " + std::to_string(functions.size()) +
                                   " public functions, expected one kernel");
  return functions[0];
}

static bool isHint(const std::string &name) {
  return name == "tt.divisibility" || name == "tt.contiguity" ||
         name == "tt.constancy" || name == "tt.pointer_range";
}

// The conditions of a described function; nothing if it assumes something that
// no condition says.
static std::optional<std::vector<nereid_archive_condition_t>>
conditionsOf(const Json &function, bool &hasHints) {
  std::vector<nereid_archive_condition_t> conditions;
  bool isKnown = true;
  uint32_t index = 0;
  for (const Json &argument : function["arguments"]) {
    for (const auto &[name, value] : argument["attributes"].items()) {
      if (!isHint(name))
        continue;
      hasHints = true;
      int64_t number = value.is_number_integer() ? value.get<int64_t>() : 0;
      bool isDivisible = name == "tt.divisibility" && number > 0;
      isKnown &= isDivisible;
      if (isDivisible && number > 1)
        conditions.push_back({sizeof(nereid_archive_condition_t), index,
                              NEREID_ARCHIVE_DIVISIBLE, 0, number});
    }
    ++index;
  }
  if (!isKnown)
    return std::nullopt;
  return conditions;
}

static Expected<NamePairs> argumentsOf(const Json &function,
                                       const std::string &path) {
  NamePairs arguments;
  for (const Json &argument : function["arguments"]) {
    std::string name = argument.value("name", "");
    std::string type = argument.value("type", "");
    if (name.empty())
      name = "arg" + std::to_string(arguments.size());
    std::optional<std::string> known = argumentType(type);
    if (!known)
      return failure(workFailed, path + ": argument '" + name + "' has type '" +
                                     type +
                                     "', expected a pointer or a number");
    arguments.emplace_back(std::move(name), std::move(*known));
  }
  return arguments;
}

Expected<NamePairs> ttirArguments(const Runtime &runtime,
                                  const std::string &ttir,
                                  const std::string &name) {
  Expected<Json> function = describe(runtime, ttir, name);
  if (!function)
    return function.error();
  return argumentsOf(*function, name);
}

static std::vector<uint32_t> allOf(size_t count) {
  std::vector<uint32_t> all(count);
  for (uint32_t i = 0; i < count; ++i)
    all[i] = i;
  return all;
}

static Expected<void> planTtir(PlannedKernel &kernel, const Runtime &runtime,
                               const std::string &path,
                               const std::string &ttir) {
  Expected<Json> function = describe(runtime, ttir, path);
  if (!function)
    return function.error();
  Expected<NamePairs> arguments = argumentsOf(*function, path);
  if (!arguments)
    return arguments.error();
  kernel.arguments = std::move(*arguments);
  std::vector<uint32_t> parameters = allOf(kernel.arguments.size());
  bool hasHints = false;
  auto conditions = conditionsOf(*function, hasHints);
  if (!hasHints) {
    kernel.variants.push_back({{}, parameters, ttir, path});
    return {};
  }
  std::string general = withoutHints(ttir);
  Expected<Json> checked = describe(runtime, general, path);
  if (!checked)
    return checked.error();
  bool stillHasHints = false;
  (void)conditionsOf(*checked, stillHasHints);
  if (stillHasHints)
    return failure(workFailed,
                   path + ": what its arguments promise cannot be removed "
                          "from it, so that no variant would take all "
                          "arguments; expected TTIR as text");
  if (conditions && !conditions->empty())
    kernel.variants.push_back({*conditions, parameters, ttir, path});
  kernel.variants.push_back({{}, parameters, general, path});
  return {};
}

Expected<void> addTtirFile(BuildPlan &plan, const Runtime &runtime,
                           const std::string &path) {
  Expected<std::string> ttir = readFile(path);
  if (!ttir)
    return ttir.error();
  plan.dependencies.push_back(path);
  PlannedKernel kernel;
  kernel.name = std::filesystem::path(path).stem().string();
  if (Expected<void> planned = planTtir(kernel, runtime, path, *ttir); !planned)
    plan.failures.push_back({kernel.name, planned.error().text});
  else
    plan.kernels.push_back(std::move(kernel));
  return {};
}

static Error malformed(const std::string &path, const std::string &what) {
  return invalid(path + ": not a list of kernels: " + what);
}

static NamePairs pairsOf(const Json &list, const char *value, bool asJson) {
  NamePairs pairs;
  for (const Json &item : list)
    pairs.emplace_back(item.value("name", ""),
                       asJson ? item[value].dump() : item.value(value, ""));
  return pairs;
}

static Expected<PlannedVariant> readVariant(const Json &item,
                                            const std::string &path) {
  PlannedVariant variant;
  for (const Json &condition : item.value("conditions", Json::array())) {
    bool isEqual = condition.contains("equals");
    variant.conditions.push_back(
        {sizeof(nereid_archive_condition_t),
         condition.at("argument").get<uint32_t>(),
         isEqual ? NEREID_ARCHIVE_EQUAL : NEREID_ARCHIVE_DIVISIBLE, 0,
         condition.at(isEqual ? "equals" : "divisible_by").get<int64_t>()});
  }
  variant.parameters = item.at("parameters").get<std::vector<uint32_t>>();
  std::filesystem::path file = item.at("ttir").get<std::string>();
  file = std::filesystem::path(path).parent_path() / file;
  Expected<std::string> ttir = readFile(file.string());
  if (!ttir)
    return ttir.error();
  variant.ttir = std::move(*ttir);
  variant.source = item.value("source", file.string());
  return variant;
}

static Expected<PlannedKernel> readKernel(const Json &item,
                                          const std::string &path) {
  PlannedKernel kernel;
  kernel.name = item.at("name").get<std::string>();
  kernel.group = item.value("group", "");
  kernel.arguments = pairsOf(item.at("arguments"), "type", false);
  kernel.constants =
      pairsOf(item.value("constants", Json::array()), "value", true);
  kernel.options =
      pairsOf(item.value("options", Json::array()), "value", false);
  if (item.contains("grid"))
    for (size_t axis = 0; axis < 3; ++axis)
      kernel.grid[axis] = item["grid"].at(axis).get<uint32_t>();
  for (const Json &each : item.at("variants")) {
    Expected<PlannedVariant> variant = readVariant(each, path);
    if (!variant)
      return variant.error();
    for (uint32_t argument : variant->parameters)
      if (argument >= kernel.arguments.size())
        return malformed(path, "kernel '" + kernel.name + "' has no argument " +
                                   std::to_string(argument));
    kernel.variants.push_back(std::move(*variant));
  }
  return kernel;
}

Expected<void> addKernelList(BuildPlan &plan, const std::string &path) {
  Expected<std::string> text = readFile(path);
  if (!text)
    return text.error();
  plan.dependencies.push_back(path);
  Json list = Json::parse(*text, nullptr, false);
  if (list.is_discarded() || !list.is_object() || !list.contains("kernels"))
    return malformed(path, "no JSON object with 'kernels'");
  try {
    for (const Json &item : list["kernels"]) {
      Expected<PlannedKernel> kernel = readKernel(item, path);
      if (!kernel)
        return kernel.error();
      plan.kernels.push_back(std::move(*kernel));
    }
    for (const Json &item : list.value("failures", Json::array()))
      plan.failures.push_back({item.value("name", ""), item.value("text", "")});
    for (const Json &item : list.value("dependencies", Json::array()))
      plan.dependencies.push_back(item.get<std::string>());
  } catch (const Json::exception &error) {
    return malformed(path, error.what());
  }
  return {};
}

} // namespace nereid::tool
