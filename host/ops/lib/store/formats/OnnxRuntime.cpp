// OnnxRuntime.cpp - the files of ONNX Runtime's TunableOp.
//
// SPDX-FileCopyrightText: the Nereid authors
// SPDX-License-Identifier: Apache-2.0

#include "store/JsonTree.h"
#include "store/Key.h"
#include "store/formats/TunableOp.h"

namespace nereid::ops {

// The compiler that stands for this tuner.
static constexpr std::string_view ortPlugin = "onnxruntime";

static Validators readValidators(const JsonTree *value, size_t line,
                                 Mistakes &mistakes) {
  Validators validators;
  if (!value || !value->isObject()) {
    mistakes.add(value ? value->line : line, "'validators' is not an object");
    return validators;
  }
  for (const auto &[name, validator] : value->members)
    if (validator.isString())
      validators[name] = validator.scalar.get<std::string>();
    else
      mistakes.add(validator.line, "validator '" + name + "' is not a string");
  return validators;
}

static void importOrtSet(const JsonTree &set, Mistakes &mistakes,
                         Results &results) {
  const JsonTree *provider = set.find("ep");
  const JsonTree *operators = set.find("results");
  if (!provider || !provider->isString())
    return mistakes.add(set.line, "'ep', the execution provider, is missing");
  if (!operators || !operators->isObject())
    return mistakes.add(set.line, "'results' is not an object");
  Validators validators =
      readValidators(set.find("validators"), set.line, mistakes);
  std::string origin = canonicalObject(
      nlohmann::json{{"ep", provider->scalar}, {"validators", validators}});
  for (const auto &[name, kernels] : operators->members) {
    if (!kernels.isObject()) {
      mistakes.add(kernels.line, "'" + name + "' is not an object");
      continue;
    }
    for (const auto &[parameters, solution] : kernels.members) {
      if (!solution.scalar.is_number_integer()) {
        mistakes.add(solution.line,
                     "'" + parameters + "' is not the number of a kernel");
        continue;
      }
      TunedResult result = foreignResult(ortPlugin, name, parameters);
      result.configuration =
          canonicalObject(nlohmann::json{{"solution", solution.scalar}});
      result.compiler.release = valueOr(validators, "ORT_VERSION");
      result.compiler.build = valueOr(validators, "ORT_GIT_COMMIT");
      result.compiler.dependencies = origin;
      result.device.name = valueOr(validators, "DEVICE_MODEL");
      if (Outcome checked = normalize(result); !checked)
        mistakes.add(solution.line, checked.failure().text);
      else
        results.push_back(std::move(result));
    }
  }
}

void importOrt(const JsonTree &root, Mistakes &mistakes, Results &results) {
  if (!root.isArray())
    return mistakes.add(root.line, "expected an array of tuning results");
  for (const JsonTree &set : root.items)
    importOrtSet(set, mistakes, results);
}

Exported exportOrt(const Results &results) {
  Exported out;
  // By origin, operator and parameters.
  std::map<std::string,
           std::map<std::string, std::map<std::string, nlohmann::json>>>
      sets;
  for (const TunedResult *result : bestFirst(results)) {
    std::string parameters;
    nlohmann::json solution;
    bool isAdded = parametersOf(*result, ortPlugin, parameters, solution) &&
                   solution.is_number_integer() &&
                   sets[result->compiler.dependencies][result->operatorName]
                       .emplace(parameters, solution)
                       .second;
    ++(isAdded ? out.written : out.leftOut);
  }
  nlohmann::json list = nlohmann::json::array();
  for (const auto &[origin, operators] : sets) {
    nlohmann::json set = nlohmann::json::parse(origin, nullptr, false);
    if (!set.is_object())
      set = {{"ep", ""}, {"validators", nlohmann::json::object()}};
    set["results"] = operators;
    list.push_back(std::move(set));
  }
  out.text =
      list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  return out;
}

} // namespace nereid::ops
